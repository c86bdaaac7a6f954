package fakequantize

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestDequantizeAdd compares with the definition, with stages, and with levels as outputs.
func TestDequantizeAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	low, step := layertest.Numbers(t, ir.F32, ir.Shape{}, -3), layertest.Numbers(t, ir.F32, ir.Shape{2}, 0.25, -0.125)
	for _, shape := range []ir.Shape{{}, {7}, {2, 3, 5, 7}, {1, 4, 40}, {0, 3}} {
		a, b := layertest.Numbers(t, ir.U8, shape), layertest.Numbers(t, ir.U8, shape)
		for i := range a.Bytes() {
			a.Bytes()[i], b.Bytes()[i] = uint8(rng.UintN(256)), uint8(rng.UintN(256))
		}
		for _, off := range processors {
			func() {
				defer cpu.Disable(off...)()
				out, err := layertest.Run(&Ops[3], nil, 2, a, b, low, step)
				require.NoError(t, err)
				require.Equal(t, shape, out.Shape())
				for i, v := range ir.Data[float32](out) {
					require.Equal(t, -3+float32(a.Bytes()[i])/4-float32(b.Bytes()[i])/8, v, "element %d of %v", i, shape)
				}
				if len(shape) > 2 {
					layertest.CheckStages(t, &Ops[3], nil, 3, a, b, low, step)
					layertest.CheckStore(t, &Ops[3], nil, 3, a, b, low, step)
				}
			}()
		}
	}
}

func TestDequantizeAdd_refuses(t *testing.T) {
	x, scalar := layertest.Numbers(t, ir.U8, ir.Shape{2}, 1, 2), layertest.Numbers(t, ir.F32, ir.Shape{}, 1)
	step := layertest.Numbers(t, ir.F32, ir.Shape{2}, 1, 1)
	for _, c := range []struct {
		other, low, step *ir.Tensor
		want             string
	}{
		{layertest.Numbers(t, ir.U8, ir.Shape{1}, 1), scalar, step, "input 1 is u8[1], expected u8[2]"},
		{layertest.Numbers(t, ir.F32, ir.Shape{2}, 1, 1), scalar, step, "input 1 is f32[2], expected u8[2]"},
		{x, step, step, "input 2 is f32[2], expected one f32"},
		{x, scalar, scalar, "input 3 is f32[], expected 2 elements of f32"},
	} {
		_, err := layertest.Run(&Ops[3], nil, 1, x, c.other, c.low, c.step)
		assert.ErrorContains(t, err, c.want)
	}
}
