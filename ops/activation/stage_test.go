package activation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestStage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0}
	for range 9000 {
		x = append(x, rng.NormFloat64()*3)
	}
	inputs := []*ir.Tensor{
		layertest.Numbers(t, ir.F32, ir.Shape{4, len(x) / 4}, x...),
		layertest.Numbers(t, ir.F32, ir.Shape{}, 0.25),
		layertest.Numbers(t, ir.F32, ir.Shape{}, 0.5),
	}
	for i := range Ops {
		op := &Ops[i]
		for n := op.Inputs.Min; n <= op.Inputs.Max; n++ {
			layertest.CheckAsStage(t, rng, op, nil, 0, inputs[:n]...)
			layertest.CheckStages(t, op, nil, 2, inputs[:n]...)
		}
	}
}
