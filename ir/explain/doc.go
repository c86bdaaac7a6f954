// Package explain finds where the dims of a layer come from: the inputs of the model, and
// the constants and attributes that pin them. It knows no layer types. It runs a layer's
// rule on inputs that differ in one length or value, and sees which outputs change.
package explain
