// Package diff compares two models by structure: it finds which layers of one correspond to which
// of the other, whatever their ids, names and order in the file, and lists how these differ.
package diff
