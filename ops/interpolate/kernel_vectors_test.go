package interpolate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestVectors(t *testing.T) { layertest.CheckSeeds(t, 120, checkVectors) }

func FuzzVectors(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkVectors)
}

// checkVectors compares float32 with float64 for images that are several vectors wide, and
// layers with stages with those without.
func checkVectors(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 11))
	l := randomLayer(rng)
	l.image, l.scales, l.axes = ir.Shape{1 + rng.IntN(2), 1 + rng.IntN(2), 1 + rng.IntN(30), 1 + rng.IntN(90)}, nil, []int{2, 3}
	if rng.IntN(2) == 0 {
		l.begin, l.end = make([]int, 4), make([]int, 4)
	} else {
		l.begin, l.end = []int{0, rng.IntN(2), 0, rng.IntN(3)}, []int{rng.IntN(2), 0, rng.IntN(2), 0}
	}
	l.output = make(ir.Shape, 4)
	factor := []float64{0.2, 0.5, 0.7, 1, 1.3, 2, 3}[rng.IntN(7)]
	for i, n := range l.image {
		l.output[i] = n + l.begin[i] + l.end[i]
		if i > 1 {
			l.output[i] = max(int(float64(l.output[i])*factor)+rng.IntN(3)*rng.IntN(9), 1)
		}
	}
	values := make([]float64, l.image.Elements())
	for i := range values {
		values[i] = float64(float32(rng.NormFloat64()))
	}
	image := layertest.Numbers(t, ir.F32, l.image, values...)
	want, err := l.run(layertest.Numbers(t, ir.F64, l.image, values...))
	require.NoError(t, err)
	got, err := l.run(image)
	require.NoError(t, err)
	layertest.Near(t, layertest.Floats(t, want), got, 2e-5, "%+v", l)
	at, inputs, err := l.inputs()
	require.NoError(t, err)
	layertest.CheckStages(t, &Ops[2], at, 1+rng.IntN(3), append([]*ir.Tensor{image}, inputs...)...)
}
