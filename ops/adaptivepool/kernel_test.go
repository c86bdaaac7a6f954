package adaptivepool

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// reference checks, for each element of the output, which elements of the plane are in its
// part.
func reference(data []float64, in, out ir.Shape) (means, maxima, places []float64) {
	plane, outPlane := in[2:].Elements(), out[2:].Elements()
	for i := range out.Elements() {
		to := index.Position(i%outPlane, out[2:])
		total, count, best, place := 0.0, 0.0, math.Inf(-1), -1
		for j := range plane {
			inside := true
			for axis, at := range index.Position(j, in[2:]) {
				ratio := float64(in[2+axis]) / float64(out[2+axis])
				first, end := math.Floor(float64(to[axis])*ratio+1e-9), math.Ceil(float64(to[axis]+1)*ratio-1e-9)
				inside = inside && float64(at) >= first && float64(at) < end
			}
			if !inside {
				continue
			}
			v := data[i/outPlane*plane+j]
			total, count = total+v, count+1
			if v > best {
				best, place = v, j
			}
		}
		means, maxima, places = append(means, total/count), append(maxima, best), append(places, float64(place))
	}
	return means, maxima, places
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(200) {
		checkRandom(t, seed)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed) })
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 6))
	in := ir.Shape{rng.IntN(3), rng.IntN(4)}
	out := ir.Shape{in[0], in[1]}
	lengths := []int64{}
	for range 1 + rng.IntN(3) {
		in, out = append(in, 1+rng.IntN(9)), append(out, rng.IntN(7))
		lengths = append(lengths, int64(out[len(out)-1]))
	}
	values := make([]float64, in.Elements())
	for i := range values {
		values[i] = float64(rng.IntN(17))
	}
	means, maxima, places := reference(values, in, out)
	shape := layertest.Ints(t, ir.I64, ir.Shape{len(lengths)}, lengths...)
	tolerances := map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-5, ir.F16: 0.01, ir.BF16: 0.1}
	for _, elementType := range Ops[1].Types {
		data := layertest.Numbers(t, elementType, in, values...)
		outs, err := layertest.RunOutputs(&Ops[1], layertest.Attributes{"index_element_type", "i32"}, 2, 2, data, shape)
		require.NoError(t, err)
		layertest.Near(t, maxima, outs[0], 0, "maxima of %v %v in %v", elementType, in, out)
		layertest.Near(t, places, outs[1], 0, "places of %v %v in %v", elementType, in, out)
		tolerance, ok := tolerances[elementType]
		if !ok {
			continue
		}
		layertest.CheckNear(t, &Ops[0], nil, out, means, tolerance, data, shape)
	}
}

func TestKernel_max(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		data   []float64
		length int64
		want   []float64
		places []int64
	}{
		"first of equals": {[]float64{1, 1, 2, 2}, 2, []float64{1, 2}, []int64{0, 2}},
		"overlapping":     {[]float64{3, 1, 2}, 2, []float64{3, 2}, []int64{0, 2}},
		"longer":          {[]float64{5, 6}, 3, []float64{5, 6, 6}, []int64{0, 1, 1}},
		"NaN":             {[]float64{1, nan, nan, 3}, 2, []float64{nan, nan}, []int64{1, 2}},
		"infinite":        {[]float64{math.Inf(-1), math.Inf(-1)}, 1, []float64{math.Inf(-1)}, []int64{0}},
		"nothing":         {[]float64{1, 2}, 0, []float64{}, []int64{}},
	} {
		data := layertest.Numbers(t, ir.F32, ir.Shape{1, 1, len(c.data)}, c.data...)
		outs, err := layertest.RunOutputs(&Ops[1], nil, 1, 2, data, layertest.Ints(t, ir.I32, ir.Shape{1}, c.length))
		require.NoError(t, err, name)
		got := layertest.Floats(t, outs[0])
		require.Len(t, got, len(c.want), name)
		for i, want := range c.want {
			assert.True(t, got[i] == want || math.IsNaN(got[i]) && math.IsNaN(want), "%s: element %d is %v", name, i, got[i])
		}
		places, err := outs[1].Ints()
		require.NoError(t, err)
		assert.Equal(t, c.places, append([]int64{}, places...), name)
	}
}

func TestPrepare_errors(t *testing.T) {
	for _, op := range Ops {
		_, err := layertest.Run(&op, nil, 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 0}), layertest.Ints(t, ir.I64, ir.Shape{1}, 2))
		require.EqualError(t, err, "data [1,1,0] has no elements to cut into parts of output [1,1,2]", op.Type)
	}
	at, err := parseMax(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "index_element_type", Value: "i32"}}}))
	require.NoError(t, err)
	_, err = prepareMax(&ops.Preparation{
		Attributes: at,
		Inputs:     []ir.Fact{layertest.Fact(t, "u8[1,1,4294967296]"), layertest.Fact(t, "i64[1]=1")},
		Outputs:    []ir.Fact{layertest.Fact(t, "u8[1,1,1]"), layertest.Fact(t, "i32[1,1,1]")},
	})
	require.Error(t, err) // with 64-bit ints, because i32 does not hold the positions
}

// TestPart has a product of the length and the number of parts that overflows an int64.
func TestPart(t *testing.T) {
	a := axis{input: math.MaxInt, output: math.MaxInt - 1}
	lo, hi := a.part(a.output - 1)
	assert.Equal(t, []int{math.MaxInt - 2, math.MaxInt}, []int{lo, hi})
}
