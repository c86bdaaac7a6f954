package bounds

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func inference(t *testing.T, output string, inputs ...string) *ops.Inference {
	in := &ops.Inference{Outputs: []ir.Fact{layertest.Fact(t, output)}}
	for _, text := range inputs {
		in.Inputs = append(in.Inputs, layertest.Fact(t, text))
	}
	return in
}

func TestMove(t *testing.T) {
	in := inference(t, "i64[3]", "i64[2]=5,6", "i32[]=1")
	Move(in, func(i int) int { return 1 - i })
	assert.Equal(t, "i64[3]=6,5,0", layertest.FactText(&in.Outputs[0]))
}

func TestUnknown(t *testing.T) {
	for _, in := range []*ops.Inference{
		inference(t, "i64[3]", "i64[2]=5,6..7"),
		inference(t, "i64[3]", "i64[2]=5,6", "i32[]"),
		inference(t, "i64[3]", "i64[?]=5,6"),
		inference(t, "i64[3]", "i64[3]=5,6"),
		inference(t, "i64[..3]", "i64[2]=5,6"),
		inference(t, "f32[3]", "i64[2]=5,6"),
		inference(t, "i64[2000]", "i64[2]=5,6"),
	} {
		Move(in, func(int) int { panic("called") })
		assert.Nil(t, in.Outputs[0].Values)
	}
}

func TestSet(t *testing.T) {
	f := layertest.Fact(t, "i64[2]")
	SetValues(&f, []int64{3, 4})
	assert.Equal(t, "i64[2]=3,4", layertest.FactText(&f))
}
