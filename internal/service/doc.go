// Package service runs programs beside what else happens: it finds and
// configures them, waits until they are ready, notices when they end, says why,
// and leaves nothing behind.
//
// It speaks to a weir.Host that is a weir.Starter, and knows no program by name.
package service
