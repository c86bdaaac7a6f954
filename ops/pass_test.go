package ops

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

func TestGraph(t *testing.T) {
	var noted string
	g := &Graph{
		Model: &ir.Model{Order: []*ir.Layer{{Type: "Parameter"}, {Type: "Result"}}},
		Op: func(layer *ir.Layer) (*Op, error) {
			switch layer.Type + "-" + layer.Opset {
			case "Add-opset1":
				return &Op{Prepare: func(*Preparation) (*Prepared, error) { return nil, nil }}, nil
			case "Subtract-opset1":
				return &Op{}, nil
			}
			return nil, errors.New("unknown")
		},
	}
	assert.True(t, g.Has("Add", "Result"))
	assert.False(t, g.Has("Add"))
	assert.True(t, g.CanInsert("Add", "opset1"))
	assert.False(t, g.CanInsert("Add", "opset2"), "an unknown type")
	assert.False(t, g.CanInsert("Subtract", "opset1"), "a type without a kernel")
	g.Explain(g.Model.Order[0], "ignored")
	g.Note = func(layer *ir.Layer, reason string) { noted = layer.Type + ": " + reason }
	g.Explain(g.Model.Order[0], "why")
	assert.Equal(t, "Parameter: why", noted)
}
