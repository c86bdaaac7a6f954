package models

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// reshaping is a change of the shape of an input or output between clients and the model, which a
// configuration asks for: the elements are the same, and so are the rows, if there are any.
type reshaping struct {
	// client is the shape that clients see, and own that of the model. At most one dimension of
	// each, besides the rows, is not known.
	client, own ir.PartialShape
	withRows    bool
}

// newReshaping returns the reshaping between two lists of lengths, without the rows.
func newReshaping(client, own []int64, withRows bool) (*reshaping, error) {
	r := &reshaping{client: shapeOf(client, withRows), own: shapeOf(own, withRows), withRows: withRows}
	for _, lengths := range [][]int64{client, own} {
		unknown := 0
		for _, n := range lengths {
			if n < 0 {
				unknown++
			}
		}
		if unknown > 1 {
			return nil, fmt.Errorf("a reshape from %v to %v: only one length can be unknown", client, own)
		}
	}
	a, b := shapeOf(client, false).Elements(), shapeOf(own, false).Elements()
	if !a.Compatible(b) {
		return nil, fmt.Errorf("a reshape from %v to %v: the numbers of elements are different", client, own)
	}
	return r, nil
}

// toModel returns a tensor with the elements of t, which has the client's shape, and the model's
// shape.
func (r *reshaping) toModel(t *ir.Tensor) (*ir.Tensor, error) {
	shape, err := r.lengths(r.own, t.Shape())
	if err != nil {
		return nil, err
	}
	if t.ElementType() == ir.String {
		return ir.StringTensor(shape, t.Strings())
	}
	return ir.TensorOfBytes(t.ElementType(), shape, t.Bytes())
}

// toClient returns the shape that clients see of an output of the given shape.
func (r *reshaping) toClient(shape ir.Shape) (ir.Shape, error) { return r.lengths(r.client, shape) }

// lengths returns the lengths of to for a tensor of the shape from.
func (r *reshaping) lengths(to ir.PartialShape, from ir.Shape) (ir.Shape, error) {
	shape := make(ir.Shape, to.Rank())
	known, unknown := 1, -1
	for i, d := range to.Dims() {
		switch {
		case i == 0 && r.withRows:
			shape[i] = from[0]
		case d.IsStatic():
			shape[i] = int(d.Min)
		default:
			unknown = i
			continue
		}
		known *= shape[i]
	}
	elements := from.Elements()
	if unknown >= 0 {
		if known > 0 {
			shape[unknown] = elements / known
		}
		known *= shape[unknown]
	}
	if known != elements {
		return nil, fmt.Errorf("the shape %s cannot become %s: the numbers of elements are different", from, to)
	}
	return shape, nil
}
