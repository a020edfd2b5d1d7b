// Package importer reads results that others have measured and published, and
// makes campaigns of them that say so: what the number is, by whom, at what
// load and loss where that is known, and what is not known.
//
// It measures nothing and judges nothing. A name that an RFC gives to a result
// is never given to an imported one: nobody here has seen its trials.
package importer
