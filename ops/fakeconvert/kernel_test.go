package fakeconvert

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 200, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// checkRandom compares a random layer with the formula. The numbers are such that no rounding but
// that of destination_type changes them.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	shape := make(ir.Shape, rng.IntN(4))
	for i := range shape {
		shape[i] = 1 + rng.IntN(5)
	}
	if rng.IntN(20) == 0 && len(shape) > 0 {
		shape[0] = 0
	}
	if rng.IntN(10) == 0 {
		shape = append(shape, 600)
	}
	scaleShape := slices.Clone(shape[rng.IntN(len(shape)+1):])
	for i := range scaleShape {
		if rng.IntN(2) == 0 {
			scaleShape[i] = 1
		}
	}
	at, mantissa, least := "f8e4m3", 3, -6
	if rng.IntN(2) == 0 {
		at, mantissa, least = "f8e5m2", 2, -14
	}
	elementType := []ir.ElementType{ir.F32, ir.F16, ir.BF16}[rng.IntN(3)]
	data := layertest.RandomNumbers(rng, 16, 0.25, shape.Elements())
	scale, shift := make([]float64, scaleShape.Elements()), make([]float64, scaleShape.Elements())
	for i := range scale {
		scale[i], shift[i] = math.Exp2(float64(rng.IntN(5)-2)), float64(rng.IntN(5))/2
	}
	inputs := []*ir.Tensor{layertest.Numbers(t, elementType, shape, data...), layertest.Numbers(t, elementType, scaleShape, scale...)}
	if rng.IntN(2) == 0 {
		inputs = append(inputs, layertest.Numbers(t, elementType, scaleShape, shift...))
	} else {
		clear(shift)
	}
	want := make([]float64, len(data))
	for i, x := range data {
		from := 0
		for k, n := range scaleShape {
			c := index.Position(i, shape)[len(shape)-len(scaleShape)+k]
			from = from*n + min(c, n-1)
		}
		want[i] = (nearest(x*scale[from]-shift[from], mantissa, least) + shift[from]) / scale[from]
	}
	layertest.CheckNear(t, &Ops[0], layertest.Attributes{"destination_type", at}, shape, want, 0.005, inputs...)
}

// nearest returns the nearest number with a mantissa of some bits, whose exponent is least or more.
func nearest(x float64, mantissa, least int) float64 {
	_, e := math.Frexp(x)
	unit := math.Exp2(float64(max(e-1, least) - mantissa))
	return math.RoundToEven(x/unit) * unit
}

// TestBorders has numbers at the borders of the types, as OpenVINO rounds them.
func TestBorders(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for at, c := range map[string]struct{ data, want []float64 }{
		"f8e4m3": {[]float64{1e9, -inf, 464, 0x1p-10, 0x1.8p-9, nan}, []float64{448, -448, 448, 0, 0x1p-8, nan}},
		"f8e5m2": {[]float64{1e9, -inf, 61440, 0x1p-17, 0x1.8p-16, nan}, []float64{57344, -57344, 57344, 0, 0x1p-15, nan}},
	} {
		n := len(c.data)
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"destination_type", at}, ir.Shape{n}, c.want, 0,
			layertest.Numbers(t, ir.F32, ir.Shape{n}, c.data...), layertest.Numbers(t, ir.F32, ir.Shape{}, 1))
	}
	got, err := layertest.Run(&Ops[0], nil, 1, layertest.Numbers(t, ir.F32, ir.Shape{1}, 1), layertest.Numbers(t, ir.F32, ir.Shape{1}, 0))
	require.NoError(t, err)
	assert.True(t, math.IsNaN(float64(ir.Data[float32](got)[0])), "a scale of 0")
}

func TestErrors(t *testing.T) {
	one := layertest.Numbers(t, ir.F32, ir.Shape{1}, 1)
	_, err := layertest.Run(&Ops[0], nil, 1, one, one, layertest.Numbers(t, ir.F32, ir.Shape{}, 1))
	assert.ErrorContains(t, err, "scale has shape")
}

func TestAllocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16} {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, elementType, 40, 300), layertest.Counted(t, elementType, 300))
	}
}

// TestRounding compares with the conversion to the types and back, for each sign, exponent and the
// first bits of the mantissa.
func TestRounding(t *testing.T) {
	for _, test := range []struct {
		to     ir.ElementType
		encode func(float32) uint8
		decode func(uint8) float32
		most   float32
	}{
		{ir.F8E4M3, minifloat.F32ToF8E4M3, minifloat.F8E4M3ToF32, 448}, {ir.F8E5M2, minifloat.F32ToF8E5M2, minifloat.F8E5M2ToF32, 57344},
	} {
		r := newRounding(test.to)
		for high := range uint32(1 << 16) {
			for _, low := range []uint32{0, 1, 1 << 15, 1<<16 - 1} {
				x := math.Float32frombits(high<<16 | low)
				of := []float32{x}
				r.apply(of)
				got := of[0]
				if math.IsNaN(float64(x)) {
					require.True(t, math.IsNaN(float64(got)), "%x", high)
					continue
				}
				want := test.decode(test.encode(min(max(x, -test.most), test.most)))
				require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%v as %v", x, test.to)
			}
		}
	}
}
