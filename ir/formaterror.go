package ir

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/internal/xmlscan"
)

// FormatError is what is wrong in a file: in the XML, in the graph that it
// describes, or in the bytes that a Constant refers to.
type FormatError struct {
	// Line of the XML that is at fault, from 1; 0 where there is none.
	Line int
	// Layer is the layer at fault as far as it was read, nil where the error
	// concerns none.
	Layer *Layer
	Err   error
}

func (e *FormatError) Error() string {
	text := e.Err.Error()
	if e.Layer != nil {
		text = fmt.Sprintf("%v: %s", e.Layer, text)
	}
	if e.Line > 0 {
		text = fmt.Sprintf("line %d: %s", e.Line, text)
	}
	return text
}

func (e *FormatError) Unwrap() error { return e.Err }

// layerFault returns a FormatError of layer.
func layerFault(layer *Layer, format string, args ...any) error {
	return &FormatError{Line: layer.Line, Layer: layer, Err: fmt.Errorf(format, args...)}
}

// asFormatError gives an error of the scanner its line.
func asFormatError(err error) error {
	var syntax *xmlscan.SyntaxError
	var format *FormatError
	if errors.As(err, &syntax) && !errors.As(err, &format) {
		return &FormatError{Line: syntax.Line, Err: err}
	}
	return err
}
