package tfs

import (
	"strings"

	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/jsontensor"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// appendResponse appends the JSON of outputs, by row as predictions, or by column as outputs.
func appendResponse(b []byte, outputs []oip.Output, rows bool) ([]byte, error) {
	var err error
	if rows {
		b = append(b, `{"predictions":`...)
		b, err = appendRows(b, outputs)
	} else {
		b = append(b, `{"outputs":`...)
		b, err = appendObject(b, outputs, func(b []byte, output oip.Output) ([]byte, error) {
			return jsontensor.AppendNested(b, output.Tensor)
		})
	}
	return append(b, '}'), err
}

// appendRows appends an array with an element for each row of the outputs.
func appendRows(b []byte, outputs []oip.Output) ([]byte, error) {
	count := 0
	for i, output := range outputs {
		shape := output.Tensor.Shape()
		if len(shape) == 0 {
			return b, oip.Errorf(oip.Malformed, "output %.100q has no axis of rows: send inputs instead of instances", output.Name)
		}
		if i == 0 {
			count = shape[0]
		}
		if shape[0] != count {
			return b, oip.Errorf(oip.Malformed, "output %.100q has %d rows, output %.100q has %d: send inputs instead of instances",
				output.Name, shape[0], outputs[0].Name, count)
		}
	}
	b = append(b, '[')
	for row := range count {
		if row > 0 {
			b = append(b, ',')
		}
		var err error
		b, err = appendObject(b, outputs, func(b []byte, output oip.Output) ([]byte, error) {
			return jsontensor.AppendRow(b, output.Tensor, row)
		})
		if err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// appendObject appends an object with what value appends for each output, or that alone if there is
// one output.
func appendObject(b []byte, outputs []oip.Output, value func(b []byte, output oip.Output) ([]byte, error)) ([]byte, error) {
	wrapped := len(outputs) != 1
	if wrapped {
		b = append(b, '{')
	}
	for i, output := range outputs {
		if wrapped {
			if i > 0 {
				b = append(b, ',')
			}
			b, _ = jsonscan.AppendText(b, strings.ToValidUTF8(output.Name, "\uFFFD"))
			b = append(b, ':')
		}
		var err error
		if b, err = value(b, output); err != nil {
			return b, oip.Errorf(oip.ErrorOf(err).Code, "output %.100q: %v", output.Name, err)
		}
	}
	if wrapped {
		b = append(b, '}')
	}
	return b, nil
}
