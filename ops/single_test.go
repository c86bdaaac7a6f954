package ops

import (
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/assert"

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
