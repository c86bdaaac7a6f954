// Package reshape changes the shapes of a model's inputs, as OpenVINO's Model::reshape does. It
// relaxes constants that limit the graph to the shapes that it was exported with.
package reshape
