package irxml

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/xmlscan"
	"github.com/vinoir/vinoir/ir"
)

// layerFault returns an *ir.FormatError about layer.
func layerFault(layer *ir.Layer, format string, args ...any) error {
	return &ir.FormatError{Line: layer.Line, Layer: layer, Err: faults.Errorf(format, args...)}
}

// asFormatError returns err as an *ir.FormatError if it is an error of the scanner, which has a
// line, or of edit.Sort, which has a layer. Other errors are returned unchanged.
func asFormatError(err error) error {
	if layer, ok := err.(*ir.LayerError); ok {
		return &ir.FormatError{Line: layer.Layer.Line, Layer: layer.Layer, Err: layer.Err}
	}
	var syntax *xmlscan.SyntaxError
	var format *ir.FormatError
	if errors.As(err, &syntax) && !errors.As(err, &format) {
		return &ir.FormatError{Line: syntax.Line, Err: err}
	}
	return err
}
