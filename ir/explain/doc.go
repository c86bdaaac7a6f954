// Package explain finds where the dims of a layer come from: the inputs of the model, and the
// constants and attributes that fix them. It is independent of layer types: it runs a layer's
// rule on inputs that differ in one length or value, and compares the outputs.
package explain
