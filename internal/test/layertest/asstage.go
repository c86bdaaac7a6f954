package layertest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// CheckAsStage compares an elementwise float32 layer as a stage, which it applies to random
// pieces of input number through, with the kernel of the layer, bit by bit. It does so with the
// other inputs constant and not constant, and returns the stage with constants.
func CheckAsStage(t testing.TB, rng *rand.Rand, op *ops.Op, attributes Attributes, through int, inputs ...*ir.Tensor) *ops.Stage {
	t.Helper()
	want, err := Run(op, attributes, 1, inputs...)
	require.NoError(t, err)
	checkAsStage(t, rng, op, attributes, through, inputs, ir.Data[float32](want), false)
	return checkAsStage(t, rng, op, attributes, through, inputs, ir.Data[float32](want), true)
}

func checkAsStage(t testing.TB, rng *rand.Rand, op *ops.Op, attributes Attributes, through int, inputs []*ir.Tensor, want []float32, constants bool) *ops.Stage {
	t.Helper()
	p := &ops.Preparation{Inputs: make([]ir.Fact, len(inputs)), Operands: make([]int, len(inputs)), Threads: 1}
	r := &ops.Run{Inputs: make([]*ir.Tensor, 2*len(inputs))}
	for i, tensor := range inputs {
		p.Inputs[i] = ir.Fact{Type: tensor.ElementType(), Shape: tensor.Shape().Partial()}
		if i == through {
			continue
		}
		p.Operands[i] = 2*len(inputs) - 1 - i
		r.Inputs[p.Operands[i]] = tensor
		if constants {
			p.Inputs[i].Tensor = tensor
		}
	}
	in, err := inferLayer(op, attributes, 1, p.Inputs)
	require.NoError(t, err)
	p.Attributes, p.Outputs = in.Attributes, in.Outputs
	s, err := op.Fusion.Stage(p, through)
	require.NoError(t, err)
	require.NotNil(t, s, "%s is no stage", op.Type)
	x := slices.Clone(ir.Data[float32](inputs[through]))
	require.Len(t, x, len(want))
	for lo := 0; lo < len(x); {
		hi := lo + rng.IntN(min(len(x)-lo, 1+rng.IntN(300))+1)
		s.Apply(r, x[lo:hi], lo)
		lo = hi
	}
	for i, v := range ir.Data[float32](inputs[through]) {
		requireSame(t, want[i], x[i], "%s of %v, element %d of %v", op.Type, v, i, inputs[through].Shape())
		if s.Bias != nil {
			requireSame(t, want[i], v+s.Bias[i/s.Inner%len(s.Bias)], "bias of %s, element %d of %v", op.Type, i, inputs[through].Shape())
		}
		if s.HSwish {
			requireSame(t, want[i], v*float32(min(max(v+3, 0), 6)*float32(1./6)), "HSwish of %s, element %d", op.Type, i)
		}
		if s.Slope != nil {
			sloped := v
			if v < 0 {
				sloped *= s.Slope[i/s.Inner%len(s.Slope)]
			}
			requireSame(t, want[i], sloped, "slope of %s, element %d of %v", op.Type, i, inputs[through].Shape())
		}
		if s.Clamp {
			if !(v > s.Lo) {
				v = s.Lo
			}
			require.Equal(t, want[i], min(v, s.Hi), "clamp of %s, element %d", op.Type, i)
		}
	}
	return s
}

// requireSame compares two numbers bit by bit. All NaNs are equal.
func requireSame(t testing.TB, want, got float32, format string, args ...any) {
	t.Helper()
	if math.Float32bits(want) != math.Float32bits(got) && (want == want || got == got) {
		require.Failf(t, "stage and kernel differ", "%v, want %v: "+format, append([]any{got, want}, args...)...)
	}
}
