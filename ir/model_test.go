package ir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLayerString(t *testing.T) {
	layer := &Layer{ID: 3, Name: `a"b`, Type: "Add", Opset: "opset1"}
	assert.Equal(t, `layer 3 "a\"b" (Add, opset1)`, layer.String())
	layer.Name = strings.Repeat("é", 1_000_000)
	assert.Less(t, len(layer.String()), 1100)
}

func TestLayerStringInBodies(t *testing.T) {
	l := &Layer{ID: 5, Name: "x", Type: "Relu", Opset: "opset1"}
	for i := range 6 {
		l = &Layer{ID: uint64(i), Name: "n", Type: "If", Opset: "opset8", Owner: l, OwnerBody: i % 2}
	}
	assert.Equal(t, `layer 5 "n" (If, opset8) in body 1 of layer 4 "n" (If, opset8) in body 0 of layer 3 "n" (If, opset8)`+
		` in body 1 of layer 2 "n" (If, opset8) in body 0 of layer 1 "n" (If, opset8), which is in a body too`, l.String())
}
