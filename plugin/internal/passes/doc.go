// Package passes has the passes that are one file each. Those of several files have packages of
// their own below it, and rewrite has what all of them need. plugin/optimization.go lists all
// passes, in the order in which they run.
package passes
