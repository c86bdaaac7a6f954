package ops

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

func TestRun_Own(t *testing.T) {
	var r, other Run
	made := 0
	own := func(r *Run) int { return r.Own(func() any { made++; return made }).(int) }
	assert.Equal(t, []int{1, 1, 2, 1}, []int{own(&r), own(&r), own(&other), own(&r)})
	assert.Zero(t, testing.AllocsPerRun(10, func() { own(&r) }))
}

func TestPreparation_PicksData(t *testing.T) {
	fact := func(et ir.ElementType, lengths ...int64) ir.Fact {
		return ir.Fact{Type: et, Shape: ir.StaticShape(lengths...)}
	}
	p := Preparation{
		Inputs:  []ir.Fact{fact(ir.F32, 1000, 8), fact(ir.I64, 3), fact(ir.I32)},
		Outputs: []ir.Fact{fact(ir.F32, 3, 8)},
	}
	p.PicksData()
	assert.Equal(t, int64(2*96+24+4), p.Bytes)
	p = Preparation{}
	p.PicksData()
	assert.Zero(t, p.Bytes, "there is no layer")
}
