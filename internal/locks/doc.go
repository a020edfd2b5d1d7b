// Package locks has locks on files, which the kernel gives back however their process ends
// (flock(2)). Who has one is known to everybody who may open the file, in whatever namespace
// of processes they are. So a file that nobody else is to lock is one that nobody else may open.
package locks
