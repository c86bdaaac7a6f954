package unary

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestStage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0}
	for range 5000 {
		x = append(x, rng.NormFloat64()*3)
	}
	data := layertest.Numbers(t, ir.F32, ir.Shape{4, len(x) / 4}, x...)
	for i := range Ops {
		op, limits := &Ops[i], layertest.Attributes(nil)
		switch op.Type {
		case "Clamp":
			limits = layertest.Attributes{"min", "-1.5", "max", "2.5"}
		case "Elu":
			limits = layertest.Attributes{"alpha", "0.5"}
		}
		switch op.Type {
		case "BitwiseNot", "IsFinite", "IsInf", "IsNaN", "LogicalNot":
			s, err := op.Fusion.Stage(&ops.Preparation{Attributes: attributes{f: isInf}}, 0)
			assert.NoError(t, err)
			assert.Nil(t, s, op.Type)
			continue
		}
		s := layertest.CheckAsStage(t, rng, op, limits, 0, data)
		assert.Equal(t, op.Type == "Relu" || op.Type == "Clamp", s.Clamp, op.Type)
		layertest.CheckStages(t, op, limits, 2, data)
	}
}
