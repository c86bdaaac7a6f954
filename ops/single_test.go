package ops

import (
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// TestOp_Fold_decompression folds a layer, except if its rt_info marks it as a decompression of
// weights.
func TestOp_Fold_decompression(t *testing.T) {
	op := Op{Type: "Convert", Version: 1, Prepare: func(*Preparation) (*Prepared, error) {
		return &Prepared{Kernel: func(*Run) error { return nil }}, nil
	}}
	folded := func(info *etree.Element) bool {
		in := &Inference{Layer: &ir.Layer{RTInfo: info}, Outputs: []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(2)}}}
		op.Fold(in)
		return in.Outputs[0].Tensor != nil
	}
	assert.True(t, folded(nil))
	info := etree.NewElement("rt_info")
	attribute := info.CreateElement("attribute")
	attribute.CreateAttr("name", "old_api_map_order")
	assert.True(t, folded(info))
	attribute.CreateAttr("name", "decompression")
	assert.False(t, folded(info))
}

// TestOp_Fold_limits folds layers of growing inputs, and one that the propagation does not admit.
func TestOp_Fold_limits(t *testing.T) {
	prepared, run := 0, 0
	op := Op{Type: "Sum", Version: 1, Prepare: func(*Preparation) (*Prepared, error) {
		prepared++
		return &Prepared{Flops: 1000, Kernel: func(*Run) error { run++; return nil }}, nil
	}}
	fold := func(elements int, admit func(float64) bool) bool {
		c, err := ir.NewTensor(ir.F32, elements)
		require.NoError(t, err)
		in := &Inference{
			Layer: &ir.Layer{}, Inputs: []ir.Fact{{Type: ir.F32, Shape: c.Shape().Partial(), Tensor: c}},
			Outputs: []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(2)}},
		}
		in.AdmitFold = admit
		op.Fold(in)
		return in.Outputs[0].Tensor != nil
	}
	assert.True(t, fold(maxFoldInput/4, nil))
	assert.False(t, fold(maxFoldInput/4+1, nil))
	assert.Equal(t, []int{1, 1}, []int{prepared, run}, "a kernel for large inputs is not prepared, since it may pack weights")
	var work float64
	assert.False(t, fold(100, func(w float64) bool { work = w; return false }))
	assert.Equal(t, 400.0+8+1000, work)
	assert.Equal(t, 1, run)
	assert.True(t, fold(100, func(float64) bool { return true }))
}
