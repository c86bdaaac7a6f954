package control

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// AtLayer returns err with the identity of the layer that caused it.
func AtLayer(layer *ir.Layer, err error) error { return &ir.LayerError{Layer: layer, Err: err} }

// Guard turns a panic into an error. Public functions defer it as a last line of defence.
func Guard(err *error) {
	if r := recover(); r != nil {
		*err = Bug(r)
	}
}

// Bug returns the error for a recovered panic, see faults.OfPanic.
func Bug(r any) error {
	return faults.OfPanic("", r)
}
