// Package edit changes the graph of a model: it adds layers, connects them, and puts them
// in order.
package edit
