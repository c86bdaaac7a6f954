package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestModel_Clone checks that all references between layers of a clone stay in the clone.
func TestModel_Clone(t *testing.T) {
	inner, result := &Layer{Name: "inner"}, &Layer{Name: "result", Index: 1}
	body := &Model{Layers: []*Layer{inner, result}, Order: []*Layer{inner, result}, Results: []*Layer{result}}
	x := &Layer{Name: "x"}
	loop := &Layer{Name: "loop", Index: 1, Origin: x, Inputs: []Input{{Source: x}}, Bodies: []Body{{
		Model: body, Inputs: []BodyPort{{Internal: inner}}, BackEdges: []BackEdge{{From: result, To: inner}},
	}}}
	inner.Owner, result.Owner = loop, loop
	m := &Model{Layers: []*Layer{x, loop}, Order: []*Layer{x, loop}}

	c := m.Clone()
	copied := c.Layers[1]
	assert.NotSame(t, loop, copied)
	assert.Same(t, c.Layers[0], copied.Origin)
	assert.Same(t, c.Layers[0], copied.Inputs[0].Source)
	clone := copied.Bodies[0]
	assert.Same(t, copied, clone.Model.Layers[0].Owner)
	assert.Same(t, clone.Model.Layers[0], clone.Inputs[0].Internal)
	assert.Equal(t, []*Layer{clone.Model.Layers[1], clone.Model.Layers[0]}, []*Layer{clone.BackEdges[0].From, clone.BackEdges[0].To})
	assert.Same(t, result, loop.Bodies[0].BackEdges[0].From, "the model does not change")
	assert.Same(t, inner, loop.Bodies[0].BackEdges[0].To)
}

type closer struct{ closed, discarded int }

func (c *closer) Close() error   { c.closed++; return nil }
func (c *closer) Discard([]byte) { c.discarded++ }

// TestModel_Close checks that only the model that was read closes its storage, and once.
func TestModel_Close(t *testing.T) {
	storage, m := &closer{}, &Model{}
	m.SetStorage(storage)
	c := m.Clone()
	assert.NoError(t, c.Close())
	assert.Zero(t, storage.closed, "closing a clone")
	assert.NoError(t, m.Close())
	assert.NoError(t, m.Close())
	assert.Equal(t, 1, storage.closed)
	assert.NoError(t, (&Model{}).Close(), "without storage")
}

func TestModel_LacksValues(t *testing.T) {
	constant := &Layer{Type: "Constant"}
	m := &Model{Order: []*Layer{{Type: "Relu"}, constant}}
	assert.True(t, m.LacksValues())
	constant.Constant = &Tensor{}
	assert.False(t, m.LacksValues())
}
