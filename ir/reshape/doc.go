// Package reshape gives the inputs of a model other shapes, as OpenVINO's Model::reshape
// does, and relaxes constants that pin the graph to the shapes it was exported with.
package reshape
