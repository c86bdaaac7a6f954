package ir

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/printable"
)

// FormatError reports a mistake in a file: in the XML, in the graph that it describes, or in
// the bytes of a Constant.
type FormatError struct {
	// Line is the line of the mistake in the XML, counted from 1; 0 if unknown.
	Line int
	// Layer is the layer with the mistake, as far as it was read; nil if the mistake is not in a
	// layer.
	Layer *Layer
	Err   error
}

// Error returns the line, the layer and the mistake, on one line of text: what a file contains is
// escaped if it is not printable.
func (e *FormatError) Error() string {
	text := printable.Escape(e.Err.Error())
	if e.Layer != nil {
		text = fmt.Sprintf("%v: %s", e.Layer, text)
	}
	if e.Line > 0 {
		text = fmt.Sprintf("line %d: %s", e.Line, text)
	}
	return text
}

func (e *FormatError) Unwrap() error { return e.Err }

// LayerError is an error about one layer. The caller of a rule or a kernel wraps its error in a
// LayerError, so that the error itself describes only the problem.
type LayerError struct {
	Layer *Layer
	Err   error
}

func (e *LayerError) Error() string {
	return fmt.Sprintf("%v: %v", e.Layer, e.Err)
}

func (e *LayerError) Unwrap() error { return e.Err }
