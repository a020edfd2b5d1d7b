// Package campaign runs a plan: it makes the runs in their order and wraps each
// trial in what surrounds it (numbering, observation, the validity gate,
// recording).
//
// It opens no testbed, sends no frame and knows no store: a Lab with a
// Measurer and a Recorder arrive from outside. It prints nothing either; what
// happens is reported to a Progress.
package campaign
