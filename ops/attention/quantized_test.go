package attention

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// levelsOf returns random numbers of levels, and an array of them less zero.
func levelsOf(t *testing.T, rng *rand.Rand, zero int, shape ...int) (*ir.Tensor, array) {
	levels := layertest.Numbers(t, ir.U8, shape)
	a := array{shape, make([]float64, levels.Len())}
	for i := range a.values {
		levels.Bytes()[i] = byte(rng.UintN(256))
		a.values[i] = float64(levels.Bytes()[i]) - float64(zero)
	}
	return levels, a
}

func TestQuantized(t *testing.T) {
	layertest.CheckSeeds(t, 100, checkQuantized)
}

func FuzzQuantized(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkQuantized)
}

// checkQuantized compares a random layer, which can have several tiles of rows, and blocks of
// columns and of the depth.
func checkQuantized(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	b0, b1, l, s, e, ev := 1+rng.IntN(2), 1+rng.IntN(3), 1+rng.IntN(9), 1+rng.IntN(40), 4+4*rng.IntN(9), 1+rng.IntN(5)
	switch rng.IntN(10) {
	case 0:
		l = 120
	case 1:
		e = 1600
	}
	rows := l
	if rng.IntN(5) == 0 {
		rows = 1
	}
	p := problemOf{value: random(rng, b0, b1, s, ev), causal: rng.IntN(3) == 0}
	var levels [2]*ir.Tensor
	levels[0], p.query = levelsOf(t, rng, 128, b0, b1, rows, e)
	levels[1], p.key = levelsOf(t, rng, 0, b0, []int{1, b1}[rng.IntN(2)], s, e)
	if rng.IntN(2) == 0 || rows < l {
		p.mask = random(rng, l, s)
	}
	p.scale = array{ir.Shape{}, []float64{1 / float64(int(256)*e)}}
	in := p.inputs(t, ir.F32)
	in[query], in[key] = levels[0], levels[1]
	at := layertest.Attributes{"causal", map[bool]string{true: "true", false: "false"}[p.causal]}
	if p.causal && rows < l {
		l = 1 // the mask is ignored
	}
	shape := ir.Shape{b0, b1, l, ev}
	layertest.CheckNear(t, &Ops[2], at, shape, p.reference(shape), 2e-5, in...)
}

func TestQuantized_refuses(t *testing.T) {
	for want, types := range map[string][]string{
		"input 1 is f32, expected u8":  {"u8[2,3,8]", "f32[2,5,8]", "f32[2,5,4]"},
		"input 2 is f64":               {"u8[2,3,8]", "u8[2,5,8]", "f64[2,5,4]"},
		"columns of the same multiple": {"u8[2,3,6]", "u8[2,5,6]", "f32[2,5,4]"},
	} {
		var inputs []*ir.Tensor
		for _, text := range types {
			fact := layertest.Fact(t, text)
			shape, err := fact.Shape.Static()
			assert.NoError(t, err)
			inputs = append(inputs, layertest.Numbers(t, fact.Type, shape))
		}
		_, err := layertest.Run(&Ops[2], layertest.Attributes{"causal", "false"}, 1, inputs...)
		assert.ErrorContains(t, err, want)
	}
}
