// Package infer infers the element type and shape of every layer of a model before
// the model runs, and follows the values of small tensors that decide shapes.
//
// Rule is the contract of a layer type. Propagate applies the rules to the layers of a
// model, forward only, in Model.Order.
package infer
