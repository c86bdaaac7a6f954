package deformableconvolution

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// testLayer is a layer with its inputs.
type testLayer struct {
	op                             *ops.Op
	data, offsets, filters, mask   ir.Shape
	strides, dilations, begin, end []int
	groups, deformable             int
	pad                            bool
	masked                         bool
	x, moves, weights, factors     []float64
}

func (l *testLayer) attributes() layertest.Attributes {
	return layertest.Attributes{
		"strides", layertest.List(l.strides), "dilations", layertest.List(l.dilations), "pads_begin", layertest.List(l.begin), "pads_end", layertest.List(l.end),
		"auto_pad", "explicit", "group", strconv.Itoa(l.groups), "deformable_group", strconv.Itoa(l.deformable), "bilinear_interpolation_pad", strconv.FormatBool(l.pad),
	}
}

// at returns an element of a plane, or 0 around it.
func (l *testLayer) at(plane []float64, y, x int) float64 {
	if y < 0 || y >= l.data[2] || x < 0 || x >= l.data[3] {
		return 0
	}
	return plane[y*l.data[3]+x]
}

// sample interpolates a plane at a position.
func (l *testLayer) sample(plane []float64, y, x float64) float64 {
	h, w := float64(l.data[2]), float64(l.data[3])
	if l.pad {
		if !(y > -1 && y < h && x > -1 && x < w) {
			return 0
		}
	} else {
		if !(y >= 0 && y < h && x >= 0 && x < w) {
			return 0
		}
		y, x = min(y, h-1), min(x, w-1)
	}
	top, left := math.Floor(y), math.Floor(x)
	dy, dx := y-top, x-left
	i, j := int(top), int(left)
	return (1-dy)*((1-dx)*l.at(plane, i, j)+dx*l.at(plane, i, j+1)) + dy*((1-dx)*l.at(plane, i+1, j)+dx*l.at(plane, i+1, j+1))
}

// reference computes the definition for each element of the output.
func (l *testLayer) reference(output ir.Shape) []float64 {
	out := make([]float64, output.Elements())
	taps, plane, points := l.filters[2]*l.filters[3], l.data[2]*l.data[3], output[2]*output[3]
	for i := range out {
		p := index.Position(i, output)
		n, o, point := p[0], p[1], p[2]*output[3]+p[3]
		group := o / (output[1] / l.groups)
		for c := range l.filters[1] {
			channel := group*l.filters[1] + c
			d := channel / (l.data[1] / l.deformable)
			for k := range taps {
				at := (n*l.deformable+d)*taps + k
				y := float64(p[2]*l.strides[0]-l.begin[0]+k/l.filters[3]*l.dilations[0]) + l.moves[2*at*points+point]
				x := float64(p[3]*l.strides[1]-l.begin[1]+k%l.filters[3]*l.dilations[1]) + l.moves[(2*at+1)*points+point]
				v := l.sample(l.x[(n*l.data[1]+channel)*plane:][:plane], y, x) * l.weights[(o*l.filters[1]+c)*taps+k]
				if l.masked {
					v *= l.factors[at*points+point]
				}
				out[i] += v
			}
		}
	}
	return out
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 120, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// newLayer returns a random layer and the shape of its output.
func newLayer(rng *rand.Rand) (*testLayer, ir.Shape) {
	pair := func(lo, n int) []int { return []int{lo + rng.IntN(n), lo + rng.IntN(n)} }
	l := &testLayer{
		op: &Ops[rng.IntN(2)], strides: pair(1, 2), dilations: pair(1, 2), begin: pair(-1, 4), end: pair(0, 3),
		groups: 1 + rng.IntN(3), deformable: 1 + rng.IntN(3),
	}
	if l.op.Version == 8 {
		l.pad, l.masked = rng.IntN(2) == 0, rng.IntN(2) == 0
	}
	channels := l.groups * l.deformable * (1 + rng.IntN(3))
	kernel, batch := pair(1, 3), rng.IntN(3)
	l.filters = ir.Shape{l.groups * (1 + rng.IntN(9)), channels / l.groups, kernel[0], kernel[1]}
	l.data = ir.Shape{batch, channels, 0, 0}
	output := ir.Shape{batch, l.filters[0], 0, 0}
	for i := range 2 {
		extent := (kernel[i]-1)*l.dilations[i] + 1
		l.data[2+i] = max(extent-l.begin[i]-l.end[i], 1) + rng.IntN(9)
		output[2+i] = (l.data[2+i]+l.begin[i]+l.end[i]-extent)/l.strides[i] + 1
	}
	l.offsets = ir.Shape{batch, 2 * l.deformable * kernel[0] * kernel[1], output[2], output[3]}
	l.mask = ir.Shape{batch, l.deformable * kernel[0] * kernel[1], output[2], output[3]}
	l.x = layertest.RandomNumbers(rng, 8, 0.5, l.data.Elements())
	l.moves = layertest.RandomNumbers(rng, 12, 0.25, l.offsets.Elements())
	l.weights = layertest.RandomNumbers(rng, 4, 0.25, l.filters.Elements())
	l.factors = layertest.RandomNumbers(rng, 4, 0.25, l.mask.Elements())
	return l, output
}

func (l *testLayer) inputs(t testing.TB, elementType, maskType ir.ElementType) []*ir.Tensor {
	in := []*ir.Tensor{
		layertest.Numbers(t, elementType, l.data, l.x...), layertest.Numbers(t, elementType, l.offsets, l.moves...), layertest.Numbers(t, elementType, l.filters, l.weights...),
	}
	if l.masked {
		in = append(in, layertest.Numbers(t, maskType, l.mask, l.factors...))
	}
	return in
}

// constantFilters is op with filters that are constant.
func constantFilters(op *ops.Op) *ops.Op {
	constant := *op
	constant.Values = []int{2}
	return &constant
}

// checkRandom has numbers that are exact in all types, with filters that are constant and not.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 61))
	l, output := newLayer(rng)
	maskType := []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.I8}[rng.IntN(4)]
	if maskType == ir.I8 {
		for i, v := range l.factors {
			l.factors[i] = math.Trunc(4 * v)
		}
	}
	want := l.reference(output)
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-10, ir.F32: 1e-3, ir.F16: 0.5, ir.BF16: 4} {
		for _, op := range []*ops.Op{l.op, constantFilters(l.op)} {
			layertest.CheckNear(t, op, l.attributes(), output, want, tolerance, l.inputs(t, elementType, maskType)...)
		}
	}
}

// TestKernel_blocks has more places, filters and products than a block.
func TestKernel_blocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 62))
	l := &testLayer{
		op: &Ops[1], strides: []int{1, 1}, dilations: []int{1, 1}, begin: []int{1, 1}, end: []int{1, 1}, groups: 2, deformable: 2, pad: true, masked: true,
		data: ir.Shape{2, 120, 15, 17}, offsets: ir.Shape{2, 36, 15, 17}, filters: ir.Shape{70, 60, 3, 3}, mask: ir.Shape{2, 18, 15, 17},
	}
	l.x = layertest.RandomNumbers(rng, 8, 0.5, l.data.Elements())
	l.moves = layertest.RandomNumbers(rng, 12, 0.25, l.offsets.Elements())
	l.weights = layertest.RandomNumbers(rng, 4, 0.25, l.filters.Elements())
	l.factors = layertest.RandomNumbers(rng, 4, 0.25, l.mask.Elements())
	output := ir.Shape{2, 70, 15, 17}
	want := l.reference(output)
	for _, op := range []*ops.Op{l.op, constantFilters(l.op)} {
		layertest.CheckNear(t, op, l.attributes(), output, want, 1e-2, l.inputs(t, ir.F32, ir.F32)...)
	}
}

// TestKernel_borders has positions that are beyond the image, at its edges, or not finite.
func TestKernel_borders(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	moves := []float64{-1, -0.75, 1.5, 2, 1.25, -1e30, inf, nan, 3e38, 1, 0}
	for pad, want := range map[bool][]float64{
		false: {0, 0, 4, 0, 4, 0, 0, 0, 0, 4, 2},
		true:  {0, 0.5, 2, 0, 3, 0, 0, 0, 0, 4, 2},
	} {
		for _, vertical := range []bool{true, false} {
			l := &testLayer{
				op: &Ops[1], strides: []int{1, 1}, dilations: []int{1, 1}, begin: []int{0, 0}, end: []int{0, 0}, groups: 1, deformable: 1, pad: pad,
				data: ir.Shape{11, 1, 1, 2}, offsets: ir.Shape{11, 2, 1, 2}, filters: ir.Shape{1, 1, 1, 1}, weights: []float64{1},
			}
			if vertical {
				l.data, l.offsets = ir.Shape{11, 1, 2, 1}, ir.Shape{11, 2, 2, 1}
			}
			for _, v := range moves {
				l.x = append(l.x, 2, 4)
				// The second place is one element after the first: both read the same.
				if vertical {
					l.moves = append(l.moves, v, v-1, 0, 0)
				} else {
					l.moves = append(l.moves, 0, 0, v, v-1)
				}
			}
			got, err := layertest.Run(l.op, l.attributes(), 1, l.inputs(t, ir.F64, ir.F64)...)
			require.NoError(t, err)
			values := layertest.Floats(t, got)
			for i := range moves {
				require.Equal(t, []float64{want[i], want[i]}, values[2*i:2*i+2], "%v: pad %v, vertical %v", moves[i], pad, vertical)
			}
		}
	}
}

func TestKernel_empty(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 62))
	for range 50 {
		l, output := newLayer(rng)
		l.filters[1], l.data[1], l.deformable = 0, 0, 1
		l.offsets[1], l.mask[1] = 2*l.filters[2]*l.filters[3], l.filters[2]*l.filters[3]
		l.x, l.weights, l.factors = nil, nil, nil
		l.moves = make([]float64, l.offsets.Elements())
		layertest.CheckNear(t, l.op, l.attributes(), output, make([]float64, output.Elements()), 0, l.inputs(t, ir.F32, ir.F32)...)
	}
}

func TestKernel_errors(t *testing.T) {
	l := &testLayer{
		op: &Ops[1], strides: []int{1, 1}, dilations: []int{1, 1}, begin: []int{0, 0}, end: []int{0, 0}, groups: 1, deformable: 2,
		data: ir.Shape{1, 3, 4, 4}, offsets: ir.Shape{1, 4, 4, 4}, filters: ir.Shape{2, 3, 1, 1}, mask: ir.Shape{1, 2, 4, 4},
	}
	_, err := layertest.Run(l.op, l.attributes(), 1, l.inputs(t, ir.F32, ir.F32)...)
	require.EqualError(t, err, "data has 3 channels, no multiple of deformable_group 2")
	l.deformable, l.offsets[1], l.mask[1] = 1, 2, 1
	in := append(l.inputs(t, ir.F32, ir.F32), layertest.Counted(t, ir.U4, l.mask...))
	_, err = layertest.Run(l.op, l.attributes(), 1, in...)
	require.ErrorContains(t, err, "DeformableConvolution-8 has no kernel for input 3 of type u4, only for [f32 ")
}

// FuzzOffsets has arbitrary offsets.
func FuzzOffsets(f *testing.F) {
	f.Add(math.Float32bits(-1e30), math.Float32bits(float32(math.NaN())), true)
	f.Fuzz(func(t *testing.T, y, x uint32, pad bool) {
		l := &testLayer{
			op: &Ops[1], strides: []int{1, 1}, dilations: []int{1, 1}, begin: []int{0, 0}, end: []int{0, 0}, groups: 1, deformable: 1, pad: pad,
			data: ir.Shape{1, 6, 1, 1}, offsets: ir.Shape{1, 2, 1, 1}, filters: ir.Shape{1, 6, 1, 1}, weights: slices.Repeat([]float64{1}, 6),
			x: []float64{1, 2, 3, 4, 5, 6}, moves: []float64{float64(math.Float32frombits(y)), float64(math.Float32frombits(x))},
		}
		got, err := layertest.Run(l.op, l.attributes(), 1, l.inputs(t, ir.F32, ir.F32)...)
		require.NoError(t, err)
		v := layertest.Floats(t, got)[0]
		require.True(t, v >= 0 && v <= 21.001, "%v", v)
	})
}

// TestKernel_allocations has enough places for two threads.
func TestKernel_allocations(t *testing.T) {
	l := &testLayer{
		op: &Ops[1], strides: []int{1, 1}, dilations: []int{1, 1}, begin: []int{1, 1}, end: []int{1, 1}, groups: 2, deformable: 2, pad: true, masked: true,
		data: ir.Shape{1, 32, 20, 20}, offsets: ir.Shape{1, 36, 20, 20}, filters: ir.Shape{16, 16, 3, 3}, mask: ir.Shape{1, 18, 20, 20},
	}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.F64} {
		for _, op := range []*ops.Op{l.op, constantFilters(l.op)} {
			layertest.CheckAllocations(t, op, l.attributes(), l.inputs(t, elementType, ir.I32)...)
		}
	}
}
