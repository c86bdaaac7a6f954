package scatterelements

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestIndexRange has indices for which OpenVINO's CPU plugin crashes or uses other elements.
// Here each is an error.
func TestIndexRange(t *testing.T) {
	for _, c := range []struct {
		index    ir.ElementType
		place    float64
		unsigned bool
	}{
		{ir.I64, 3, false}, {ir.I64, -4, false}, {ir.I32, 1e9, false}, {ir.I32, -1e9, false},
		{ir.I64, 1 << 32, false}, {ir.I64, 1<<32 + 1, false}, {ir.I64, -1 << 63, false}, {ir.I64, 1 << 62, false},
		{ir.I32, -1 << 31, false}, {ir.I32, 1<<31 - 1, false},
		{ir.U32, 1<<32 - 1, false}, {ir.U32, 1 << 31, false}, {ir.U64, 1 << 63, true}, {ir.U64, 1 << 32, false},
		{ir.I8, -128, false}, {ir.I8, 127, false}, {ir.U8, 255, false}, {ir.I16, -1 << 15, false}, {ir.U16, 1<<16 - 1, false},
	} {
		for _, f := range []reduction{none, sum, mean} {
			for _, element := range []ir.ElementType{ir.F32, ir.F16, ir.String, ir.I4} {
				if f != none && (element == ir.String || element == ir.I4) {
					continue
				}
				for _, exclude := range []bool{false, true} {
					l := layer{
						element: element, index: c.index, data: ir.Shape{2, 3}, indices: ir.Shape{2, 9}, axis: 1, reduction: f, exclude: exclude,
						values: make([]float64, 6), places: make([]float64, 18), change: make([]float64, 18),
					}
					for _, at := range []int{0, 7, 8, 16, 17} {
						l.places[at] = c.place
						_, err := l.run(t)
						var e *ops.IndexError
						require.ErrorAs(t, err, &e, "%v %v", c.index, c.place)
						want := &ops.IndexError{Position: []int{at / 9, at % 9}, Value: int64(c.place), Lo: -3, Hi: 2}
						if c.unsigned {
							want.Value, want.Unsigned = math.MinInt64, true
						}
						assert.Equal(t, want, e)
						l.places[at] = 0
					}
				}
			}
		}
	}
}

func TestRules(t *testing.T) {
	data := []float64{10, 20, 30, 40}
	for _, c := range []struct {
		name  string
		layer layer
		want  []float64
		err   string
	}{
		{name: "-1 is the last", layer: layer{places: []float64{-1}, change: []float64{5}}, want: []float64{10, 20, 30, 5}},
		{name: "the last of several stays", layer: layer{places: []float64{1, -3, 1}, change: []float64{5, 6, 7}}, want: []float64{10, 7, 30, 40}},
		{name: "use_init_val and none", layer: layer{exclude: true, places: []float64{1}, change: []float64{5}}, want: []float64{10, 5, 30, 40}},
		{name: "no indices", layer: layer{indices: ir.Shape{0}}, want: data},
		{name: "no indices, sum", layer: layer{indices: ir.Shape{0}, reduction: sum}, want: data},

		{name: "sum", layer: layer{reduction: sum}, want: []float64{10, 32, 30, 37}},
		{name: "prod", layer: layer{reduction: prod}, want: []float64{10, 700, 30, -120}},
		{name: "min", layer: layer{reduction: minimum}, want: []float64{10, 5, 30, -3}},
		{name: "max", layer: layer{reduction: maximum}, want: []float64{10, 20, 30, 40}},
		{name: "mean", layer: layer{reduction: mean, element: ir.F64}, want: []float64{10, 32. / 3, 30, 18.5}},
		{name: "sum of updates", layer: layer{reduction: sum, exclude: true}, want: []float64{10, 12, 30, -3}},
		{name: "prod of updates", layer: layer{reduction: prod, exclude: true}, want: []float64{10, 35, 30, -3}},
		{name: "min of updates", layer: layer{reduction: minimum, exclude: true}, want: []float64{10, 5, 30, -3}},
		{name: "max of updates", layer: layer{reduction: maximum, exclude: true}, want: []float64{10, 7, 30, -3}},
		{name: "mean of updates", layer: layer{reduction: mean, exclude: true}, want: []float64{10, 6, 30, -3}},

		{name: "max of -inf", layer: layer{reduction: maximum, exclude: true, places: []float64{1}, change: []float64{math.Inf(-1)}}, want: []float64{10, math.Inf(-1), 30, 40}},
		{name: "min of inf", layer: layer{reduction: minimum, exclude: true, places: []float64{1}, change: []float64{math.Inf(1)}}, want: []float64{10, math.Inf(1), 30, 40}},
		{name: "max of NaN", layer: layer{reduction: maximum, places: []float64{1}, change: []float64{math.NaN()}}, want: []float64{10, math.NaN(), 30, 40}},
		{name: "max after NaN", layer: layer{reduction: maximum, places: []float64{1, 1}, change: []float64{math.NaN(), 99}}, want: []float64{10, math.NaN(), 30, 40}},
		{name: "min after NaN, f16", layer: layer{element: ir.F16, reduction: minimum, exclude: true, places: []float64{1, 1}, change: []float64{math.NaN(), 9}}, want: []float64{10, math.NaN(), 30, 40}},
		{name: "max in NaN", layer: layer{reduction: maximum, values: []float64{math.NaN(), 20, 30, 40}, places: []float64{0}, change: []float64{2}}, want: []float64{math.NaN(), 20, 30, 40}},

		{name: "mean of integers rounds down", layer: layer{element: ir.I32, reduction: mean, exclude: true, places: []float64{1, 1}, change: []float64{-3, -4}}, want: []float64{10, -4, 30, 40}},
		{name: "mean of three", layer: layer{element: ir.I8, reduction: mean, values: []float64{10, 0, 30, 40}, places: []float64{1, 1}, change: []float64{-3, -4}}, want: []float64{10, -3, 30, 40}},
		{name: "mean of 7 and 8", layer: layer{element: ir.U16, reduction: mean, exclude: true, places: []float64{1, 1}, change: []float64{7, 8}}, want: []float64{10, 7, 30, 40}},
		{name: "mean of mixed signs", layer: layer{element: ir.I64, reduction: mean, exclude: true, places: []float64{1, 1}, change: []float64{-7, 2}}, want: []float64{10, -3, 30, 40}},
		{name: "mean beyond the type", layer: layer{element: ir.I8, reduction: mean, exclude: true, places: []float64{1, 1, 1}, change: []float64{100, 100, 100}}, want: []float64{10, 100, 30, 40}},
		{name: "sum wraps", layer: layer{element: ir.I8, reduction: sum, exclude: true, places: []float64{1, 1, 1}, change: []float64{100, 100, 100}}, want: []float64{10, 44, 30, 40}},
		{name: "sum of i32 wraps", layer: layer{element: ir.I32, reduction: sum, values: []float64{10, 1<<31 - 1, 30, 40}, places: []float64{1}, change: []float64{1}}, want: []float64{10, -1 << 31, 30, 40}},
		{name: "f16 is summed in float32", layer: layer{element: ir.F16, reduction: sum, values: []float64{10, 2048, 30, 40}, places: []float64{1, 1, 1}, change: []float64{1, 1, 1}}, want: []float64{10, 2052, 30, 40}},
		{name: "mean of f16", layer: layer{element: ir.F16, reduction: mean, values: []float64{10, 2048, 30, 40}, places: []float64{1, 1, 1}, change: []float64{1, 1, 1}}, want: []float64{10, 513, 30, 40}},
		{name: "bf16 is summed in float32", layer: layer{element: ir.BF16, reduction: sum, values: []float64{10, 256, 30, 40}, places: []float64{1, 1, 1, 1}, change: []float64{1, 1, 1, 1}}, want: []float64{10, 260, 30, 40}},

		{name: "sum is or", layer: layer{element: ir.Boolean, reduction: sum, values: []float64{0, 0, 1, 1}, places: []float64{0, 0, 1, 2}, change: []float64{1, 1, 0, 0}}, want: []float64{1, 0, 1, 1}},
		{name: "prod is and", layer: layer{element: ir.Boolean, reduction: prod, values: []float64{0, 1, 1, 1}, places: []float64{0, 1, 2, 2}, change: []float64{1, 1, 0, 1}}, want: []float64{0, 1, 0, 1}},
		{name: "min is and", layer: layer{element: ir.Boolean, reduction: minimum, exclude: true, values: []float64{0, 1, 1, 0}, places: []float64{0, 2, 2}, change: []float64{1, 0, 1}}, want: []float64{1, 1, 0, 0}},
		{name: "max is or", layer: layer{element: ir.Boolean, reduction: maximum, exclude: true, values: []float64{1, 1, 1, 0}, places: []float64{0, 2, 2}, change: []float64{0, 0, 1}}, want: []float64{0, 1, 1, 0}},

		{name: "i64 beyond 2^31", layer: layer{element: ir.I64, reduction: sum, places: []float64{1}, change: []float64{1 << 40}}, want: []float64{10, 1<<40 + 20, 30, 40}},
		{name: "u32 above 2^31", layer: layer{element: ir.U32, places: []float64{1}, change: []float64{1<<32 - 1}}, want: []float64{10, 1<<32 - 1, 30, 40}},
		{name: "f64 beyond f32", layer: layer{element: ir.F64, reduction: sum, places: []float64{1}, change: []float64{1e300}}, want: []float64{10, 1e300, 30, 40}},
		{name: "sum of strings", layer: layer{element: ir.String, reduction: sum}, err: "reduction sum is not defined for string"},
		{name: "max of u4", layer: layer{element: ir.U4, reduction: maximum}, err: "reduction max is not defined for u4"},
		{name: "mean of booleans", layer: layer{element: ir.Boolean, reduction: mean}, err: "reduction mean is not defined for boolean"},
		{name: "indices of booleans", layer: layer{index: ir.Boolean}, err: "indices: element type boolean is not an integer of whole bytes"},

		{name: "a scalar", layer: layer{data: ir.Shape{}, indices: ir.Shape{}, values: []float64{1}, places: []float64{0}, change: []float64{2}}, err: "data is a scalar, rank 1 or more is needed"},
		{name: "longer off the axis", layer: layer{data: ir.Shape{2, 2}, indices: ir.Shape{5, 2}, axis: 1, places: make([]float64, 10), change: make([]float64, 10)},
			err: "indices [5 2] are longer than data [2 2] along axis 0, and not only along axis 1"},
		{name: "longer along the axis", layer: layer{data: ir.Shape{2, 2}, indices: ir.Shape{5, 2}, places: make([]float64, 10), change: make([]float64, 10)}, want: []float64{0, 0, 30, 40}},
		{name: "no data", layer: layer{data: ir.Shape{0}, indices: ir.Shape{0}, values: []float64{}}, want: []float64{}},
		{name: "an index into no data", layer: layer{data: ir.Shape{0, 2}, indices: ir.Shape{1, 2}, values: []float64{}, places: []float64{0, 0}, change: []float64{1, 1}},
			err: "index 0 at position [0 0] points into an axis of length 0"},
		{name: "axis beyond", layer: layer{axis: 1}, err: "axis 1 is outside [-1,0] for rank 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := c.layer
			if l.element == ir.Dynamic {
				l.element = ir.F32
			}
			if l.index == ir.Dynamic {
				l.index = ir.I64
			}
			if l.data == nil {
				l.data = ir.Shape{4}
			}
			if l.values == nil {
				l.values = data
			}
			if l.places == nil && l.indices == nil {
				l.places, l.change = []float64{1, 1, -1}, []float64{5, 7, -3}
				if !l.element.IsFloat() {
					l.change = []float64{1, 0, 1}
				}
				if l.index == ir.Boolean {
					l.places = []float64{1, 1, 0}
				}
			}
			if l.indices == nil {
				l.indices = ir.Shape{len(l.places)}
			}
			for _, axisInput := range []bool{false, true} {
				for _, inPlace := range []bool{false, true} {
					l.axisInput, l.inPlace = axisInput, inPlace
					got, err := l.run(t)
					if c.err != "" {
						assert.EqualError(t, err, c.err)
						continue
					}
					require.NoError(t, err)
					if l.element == ir.F64 {
						assert.InDeltaSlice(t, c.want, got, 1e-9)
						continue
					}
					for i, want := range c.want {
						assert.True(t, got[i] == want || got[i] != got[i] && want != want, "element %d is %v, expected %v", i, got[i], want)
					}
				}
			}
		})
	}
}

// TestAxisOfTwo has an axis of two elements. OpenVINO uses the first one.
func TestAxisOfTwo(t *testing.T) {
	p := &ops.Preparation{Attributes: attributes{useInitVal: true}}
	for _, shape := range []ir.Shape{{3}, {1}, {1}, {2}} {
		p.Inputs = append(p.Inputs, ir.Fact{Type: ir.I32, Shape: shape.Partial()})
	}
	_, err := prepare(p)
	assert.EqualError(t, err, "axis has 2 elements, not one")
}

// TestConstantAxis has an axis that is refused before a run if it is constant.
func TestConstantAxis(t *testing.T) {
	axis := tensorFrom(t, ir.I32, ir.Shape{1}, []float64{1})
	p := &ops.Preparation{Attributes: attributes{useInitVal: true}, Threads: 1}
	for _, element := range []ir.ElementType{ir.F32, ir.I32, ir.F32, ir.I32} {
		p.Inputs = append(p.Inputs, ir.Fact{Type: element, Shape: ir.StaticShape(1)})
	}
	_, err := prepare(p)
	require.NoError(t, err)
	p.Inputs[axisInput].Tensor = axis
	_, err = prepare(p)
	assert.EqualError(t, err, "axis 1 is outside [-1,0] for rank 1")
}

// TestProperties checks properties that need no reference.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 200 {
		l := random(r, ir.I32, ir.I64, reduction(r.IntN(6)))
		got, err := l.run(t)
		require.NoError(t, err)
		axis := int(l.axis)
		if axis < 0 {
			axis += len(l.data)
		}

		// Replace negative indices by positive ones and the other way round.
		turned := l
		turned.places = make([]float64, len(l.places))
		for i, v := range l.places {
			if turned.places[i] = v - float64(l.data[axis]); v < 0 {
				turned.places[i] = v + float64(l.data[axis])
			}
		}
		same, err := turned.run(t)
		require.NoError(t, err)
		require.Equal(t, got, same, "%+v", l)

		// Change the order along the axis, which only matters without a reduction.
		if l.reduction != none {
			mixed := l
			mixed.places, mixed.change = make([]float64, len(l.places)), make([]float64, len(l.places))
			inner := l.indices[axis+1:].Elements()
			n := l.indices[axis]
			order := r.Perm(n)
			for i := range l.places {
				from := i/(n*inner)*n*inner + order[i/inner%n]*inner + i%inner
				mixed.places[i], mixed.change[i] = l.places[from], l.change[from]
			}
			same, err = mixed.run(t)
			require.NoError(t, err)
			require.Equal(t, got, same, "%+v", l)
		}

		// Without indices, nothing changes.
		empty := l
		empty.indices = append(ir.Shape(nil), l.indices...)
		empty.indices[axis], empty.places, empty.change = 0, nil, nil
		same, err = empty.run(t)
		require.NoError(t, err)
		require.Equal(t, l.values, same)
	}
}

// TestSumsOfDuplicates compares the sum of updates with that of sums computed before.
func TestSumsOfDuplicates(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	const d, n = 50, 3000
	l := layer{element: ir.I32, index: ir.I32, data: ir.Shape{d}, indices: ir.Shape{n}, reduction: sum}
	once := layer{element: ir.I32, index: ir.I32, data: ir.Shape{d}, indices: ir.Shape{d}, reduction: sum, change: make([]float64, d)}
	for i := range d {
		l.values = append(l.values, float64(r.IntN(100)))
		once.places = append(once.places, float64(i))
	}
	once.values = l.values
	for range n {
		at, u := r.IntN(d), float64(r.IntN(1000)-500)
		l.places, l.change = append(l.places, float64(at)), append(l.change, u)
		once.change[at] += u
	}
	got, err := l.run(t)
	require.NoError(t, err)
	want, err := once.run(t)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestUntouched checks that elements without updates keep their bits.
func TestUntouched(t *testing.T) {
	for _, f := range []reduction{none, sum, mean} {
		bits := []uint32{0x80000000, 0x7f800001, 0xffc12345, 1, 0x3f800000}
		l := benchCase{element: ir.F32, index: ir.I32, data: ir.Shape{5}, indices: ir.Shape{1}, reduction: f}
		kernel, run := l.prepare(t, 1)
		copy(ir.Data[uint32](run.Inputs[dataInput]), bits)
		ir.Data[int32](run.Inputs[indicesInput])[0] = 4
		require.NoError(t, kernel(run))
		assert.Equal(t, bits[:4], ir.Data[uint32](run.Outputs[0])[:4], "%v", f)
	}
}

// TestAllocations checks that kernels do not allocate, also if the axis is not constant.
func TestAllocations(t *testing.T) {
	for _, c := range []benchCase{
		{name: "direct", element: ir.F32, index: ir.I32, data: ir.Shape{8, 16}, indices: ir.Shape{4, 16}, reduction: maximum, exclude: true},
		{name: "wide", element: ir.F16, index: ir.I64, data: ir.Shape{8, 16}, indices: ir.Shape{8, 4}, axis: 1, reduction: mean, exclude: true},
		{name: "axis", element: ir.I8, index: ir.U8, data: ir.Shape{8, 16}, indices: ir.Shape{4, 16}, reduction: sum, axisInput: true},
	} {
		kernel, run := c.prepare(t, 1)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if err := kernel(run); err != nil {
				t.Fatal(err)
			}
		}), c.name)
	}
}
