// Package packages knows what the packages that weir needs are called on the distributions of
// Linux, and the command that installs them. Everywhere else in weir a package has the name
// that Debian gives it.
//
// It runs nothing.
package packages
