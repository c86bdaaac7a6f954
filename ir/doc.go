// Package ir reads OpenVINO IR models, version 10 and 11, and infers the type
// and shape of every layer.
//
// Read, ReadFile and ReadFS make a Model of a file. Propagate infers the shapes of its
// layers, by Rules that another package provides; Model.Reshape gives its inputs other
// shapes first. Validate holds what was inferred against what stands in the file,
// Report.FixPorts puts the file right, and Explain tells where the dims of a layer
// come from. None of them changes the Model.
//
// A model that was read without its .bin has the same shapes but for those that depend
// on the value of a Constant: Shapes.Unknown tells which.
package ir
