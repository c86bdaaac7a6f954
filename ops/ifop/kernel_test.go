package ifop

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestPrepare_refuses prepares layers whose cond or port maps are invalid. Package plugin tests the
// kernel, because it can run bodies.
func TestPrepare_refuses(t *testing.T) {
	for name, c := range map[string]struct {
		cond   string
		change func(*ir.Layer)
		want   string
	}{
		"cond that is not known": {"boolean[]", func(*ir.Layer) {}, "cond is not known"},
		"cond of two elements":   {"boolean[2]=1,1", func(*ir.Layer) {}, "cond has 2 values, expected 1"},
		"a Parameter without input": {"boolean[]=1", func(l *ir.Layer) { l.Bodies[0].Inputs = nil },
			"then_body: no input of the layer feeds layer 0"},
		"an input that the layer does not have": {"boolean[]=0", func(l *ir.Layer) { l.Bodies[1].Inputs[0].External = 7 },
			"else_body: no input of the layer feeds layer 0"},
		"an output without Result": {"boolean[]=0", func(l *ir.Layer) { l.Bodies[1].Outputs = nil },
			"else_body: no Result gives output 0 of the layer"},
	} {
		t.Run(name, func(t *testing.T) {
			_, layer := branches(t, "boolean[]", "f32[2]", "f32[2]")
			c.change(layer)
			inputs := make([]ir.Fact, len(layer.Inputs))
			inputs[0] = layertest.Fact(t, c.cond)
			_, err := prepare(&ops.Preparation{Layer: layer, Inputs: inputs, Outputs: []ir.Fact{layertest.Fact(t, "f32[2]")}})
			assert.ErrorContains(t, err, c.want)
		})
	}
}
