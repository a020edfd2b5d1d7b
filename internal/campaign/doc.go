// Package campaign reads plans and runs them: which testbed, which traffic and
// which methods, in which order, and what surrounds each trial (numbering,
// observation, the validity gate, recording).
//
// It opens no testbed, sends no frame and knows no store: a Lab with a
// Measurer and a Recorder arrive from outside. It prints nothing either; what
// happens is told to a Progress.
package campaign
