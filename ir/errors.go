package ir

import "fmt"

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

// LayerError is an error about one layer. Whoever runs a rule or kernel adds the layer's
// identity with it, so that the rule's or kernel's own error states only what differed.
type LayerError struct {
	Layer *Layer
	Err   error
}

func (e *LayerError) Error() string {
	return fmt.Sprintf("%v: %v", e.Layer, e.Err)
}

func (e *LayerError) Unwrap() error { return e.Err }
