package plugin

import (
	"context"
	"fmt"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// UnsupportedError lists every layer of a model that a Core cannot compute.
type UnsupportedError struct {
	// Layers has an error for each layer, which wraps an *UnsupportedLayerError.
	Layers []*ir.LayerError
}

// UnsupportedLayerError reports that a registry has no Op for a layer, or that the Op has no
// kernel for its element types.
type UnsupportedLayerError struct {
	Type, Opset string
	// Reason states what is missing: the type, its revision or opset, or the kernel.
	Reason string
}

// Error lists the layers, one line each.
func (e *UnsupportedError) Error() string {
	var b strings.Builder
	if len(e.Layers) == 1 {
		b.WriteString("1 layer is not supported:")
	} else {
		fmt.Fprintf(&b, "%d layers are not supported:", len(e.Layers))
	}
	for _, l := range e.Layers {
		fmt.Fprintf(&b, "\n%v, line %d: %v", l.Layer, l.Layer.Line, l.Err)
	}
	return b.String()
}

// Unwrap returns the error of each layer.
func (e *UnsupportedError) Unwrap() []error {
	errs := make([]error, len(e.Layers))
	for i := range e.Layers {
		errs[i] = e.Layers[i]
	}
	return errs
}

func (e *UnsupportedLayerError) Error() string {
	return printable.Escape(fmt.Sprintf("layer type %s of %s is not supported: %s", printable.Cut(e.Type, 100), printable.Cut(e.Opset, 100), e.Reason))
}

// Unsupported reports true; it implements ir.Unsupported.
func (e *UnsupportedLayerError) Unsupported() bool { return true }

// QueryModel returns the layers of model and of its bodies that the Core cannot compute, because
// their type has no kernel or none for their element types. It returns nil if there are none. The
// error is that of ctx if it is done.
func (c *Core) QueryModel(ctx context.Context, model *ir.Model) (*UnsupportedError, error) {
	shapes, err := infer.Propagate(ctx, model, c.registry, nil)
	if shapes == nil {
		return nil, err
	}
	return c.QueryShapes(model, shapes), nil // a layer with an error has its declared shapes
}

// QueryShapes is QueryModel for a model that has been inferred already: shapes are those of model.
func (c *Core) QueryShapes(model *ir.Model, shapes *infer.Shapes) *UnsupportedError {
	unsupported, _ := c.query(model, shapes)
	return unsupported
}

// query is QueryShapes, and returns the first Constant that has no value; nil if all have one.
func (c *Core) query(model *ir.Model, shapes *infer.Shapes) (unsupported *UnsupportedError, unread *ir.Layer) {
	var found []*ir.LayerError
	for layer, shapes := range shapes.AllLayers(model) {
		var inputs, outputs []ir.Fact
		if shapes != nil {
			inputs, outputs = shapes.Inputs(layer), shapes.Outputs(layer)
		}
		op, err := c.registry.Op(layer)
		if err == nil {
			if err = op.Computes(inputs, outputs); err != nil {
				err = &UnsupportedLayerError{layer.Type, layer.Opset, err.Error()}
			}
		}
		if err != nil {
			found = append(found, &ir.LayerError{Layer: layer, Err: err})
		}
		if unread == nil && layer.Type == "Constant" && layer.Constant == nil {
			unread = layer
		}
	}
	if found == nil {
		return nil, unread
	}
	return &UnsupportedError{found}, unread
}
