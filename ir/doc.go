// Package ir defines what a model is: its graph of layers, the types and shapes of tensors,
// and the tensors themselves. The packages below work on it:
//
//	ir/irxml      reads model.xml and model.bin
//	ir/edit       builds models and changes them
//	ir/diff       compares two models
//	ir/infer      infers the type and shape of every layer
//	ir/reshape    gives the inputs other shapes
//	ir/validate   compares what the file declares with what is inferred
//	ir/explain    finds where the lengths of a shape come from
//	ir/npy        reads and writes NumPy files
//
// A model that was read without its .bin has Constants without a value. Its shapes are the
// same, except those that depend on such a value: infer.Shapes.Unknown reports which.
package ir
