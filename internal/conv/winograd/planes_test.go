package winograd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/convtest"
)

// flattened returns the input and the filters of a shape with an axis Z for its flat shape, by the
// definition of the latter.
func flattened(s Shape, in, weights []float32) (flatIn, flatWeights []float32) {
	flat, z, _ := s.flat()
	plane := s.Y.Input * s.X.Input
	for image := range flat.Batch {
		for c := range flat.In {
			from := make([]float32, plane)
			if at := z.At(image%z.Output, c/s.In); at >= 0 && at < z.Input {
				copy(from, in[((image/z.Output*s.In+c%s.In)*z.Input+at)*plane:])
			}
			flatIn = append(flatIn, from...)
		}
	}
	for o := range s.Out {
		for c := range flat.In {
			flatWeights = append(flatWeights, weights[((o*s.In+c%s.In)*z.Kernel+c/s.In)*9:][:9]...)
		}
	}
	return flatIn, flatWeights
}

// TestWinograd_planes compares shapes with an axis Z with the definition, also for inputs some of
// whose tiles are computed directly.
func TestWinograd_planes(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 18))
		for round := range 40 {
			s := Shape{Batch: 1 + r.IntN(2), In: 16, Out: 1 + r.IntN(9), Y: winogradAxis(3+r.IntN(9), 1, 1), X: winogradAxis(3+r.IntN(12), r.IntN(2), 1)}
			s.Z = conv.Axis{Input: 1 + r.IntN(5), Kernel: 1 + r.IntN(3), Stride: 1 + r.IntN(2), Dilation: 1 + r.IntN(2), PadBegin: r.IntN(3)}
			if s.Z.Kernel == 1 {
				s.In = 1 + r.IntN(20)
			}
			if s.Z.Output = convtest.Outputs(s.Z, r.IntN(3)); s.Z.Output < 1 {
				continue
			}
			in, weights := convtest.NormalFloats(r, s.Batch*s.In*s.Z.Input*s.Y.Input*s.X.Input), convtest.NormalFloats(r, s.Out*s.In*s.Z.Kernel*9)
			if round%2 == 0 {
				for range 3 {
					in[r.IntN(len(in))] = float32(math.Pow(10, 30*r.Float64()))
				}
			}
			w := New(s, 1+r.IntN(4))
			require.NotNil(t, w, "%+v", s)
			seen := make([]int, s.Batch*s.Out*s.Z.Output*s.Y.Output*s.X.Output)
			out := runWinograd(t, r, w, in, weights, &conv.Epilogue{Finish: func(x []float32, at int) {
				for i := range x {
					seen[at+i]++
				}
			}})
			for i, n := range seen {
				require.Equal(t, 1, n, "finish of element %d: %+v", i, s)
			}
			flat, z, _ := s.flat()
			plane := s.Y.Output * s.X.Output
			var got []float32
			for image := range flat.Batch {
				for o := range s.Out {
					got = append(got, out[((image/z.Output*s.Out+o)*z.Output+image%z.Output)*plane:][:plane]...)
				}
			}
			flatIn, flatWeights := flattened(s, in, weights)
			requireBound(t, &flat, flatIn, flatWeights, got)
		}
	})
	s := Shape{Batch: 1, In: 15, Out: 1, Z: winogradAxis(4, 1, 1), Y: winogradAxis(4, 1, 1), X: winogradAxis(4, 1, 1)}
	assert.Nil(t, New(s, 1), "a run of channels would belong to two elements of the window")
}
