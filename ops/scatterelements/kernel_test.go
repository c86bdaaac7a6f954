package scatterelements

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// layer is a layer in a test. Its elements are given as numbers.
type layer struct {
	element, index         ir.ElementType
	data, indices          ir.Shape
	axis                   int64
	axisInput              bool // axis is not constant
	reduction              reduction
	exclude                bool
	values, places, change []float64
	threads                int
	inPlace                bool
}

// run returns the output of the kernel. The output and the scratch memory hold garbage before.
func (l *layer) run(tb testing.TB) ([]float64, error) {
	data, updates := tensorFrom(tb, l.element, l.data, l.values), tensorFrom(tb, l.element, l.indices, l.change)
	indices := tensorFrom(tb, l.index, l.indices, l.places)
	axis := tensorFrom(tb, ir.I32, ir.Shape{1}, []float64{float64(l.axis)})
	out := data
	if !l.inPlace {
		out = tensorFrom(tb, l.element, l.data, make([]float64, len(l.values)))
		for i := range out.Bytes() {
			out.Bytes()[i] = 0xa5
		}
	}
	r := &ops.Run{Inputs: []*ir.Tensor{data, indices, updates, axis}, Outputs: []*ir.Tensor{out}}
	p := &ops.Preparation{Attributes: attributes{l.reduction, !l.exclude}, Threads: max(l.threads, 1)}
	for _, x := range r.Inputs {
		p.Inputs = append(p.Inputs, ir.Fact{Type: x.ElementType(), Shape: x.Shape().Partial()})
	}
	if !l.axisInput {
		p.Inputs[axisInput].Tensor = axis
	}
	p.Outputs = []ir.Fact{{Type: l.element, Shape: l.data.Partial()}}
	prepared, err := prepare(p)
	if err != nil {
		return nil, err
	}
	r.Scratch = ir.AlignedBytes(prepared.ScratchBytes)
	for i := range r.Scratch {
		r.Scratch[i] = 0x5a
	}
	if l.threads > 1 {
		r.Pool = parallel.New(l.threads)
		defer r.Pool.Close()
	}
	if err := prepared.Kernel(r); err != nil {
		return nil, err
	}
	return numbersFrom(out), nil
}

// reference computes the definition, coordinate by coordinate.
func (l *layer) reference() []float64 {
	out := append([]float64(nil), l.values...)
	axis := int(l.axis)
	if axis < 0 {
		axis += len(l.data)
	}
	sums, counts := make([]float64, len(out)), make([]float64, len(out))
	for i, place := range l.places {
		to, stride, rest := 0, 1, i
		for a := len(l.data) - 1; a >= 0; a-- {
			at := rest % l.indices[a]
			rest /= l.indices[a]
			if a == axis {
				at = int(place)
				if at < 0 {
					at += l.data[a]
				}
			}
			to += at * stride
			stride *= l.data[a]
		}
		u := l.change[i]
		if counts[to] == 0 && (l.exclude || l.reduction == none) {
			sums[to], counts[to] = u, 1
			continue
		}
		if counts[to] == 0 {
			sums[to], counts[to] = out[to], 1
		}
		counts[to]++
		switch l.reduction {
		case none:
			sums[to] = u
		case sum, mean:
			sums[to] += u
		case prod:
			sums[to] *= u
		case minimum:
			sums[to] = math.Min(sums[to], u)
		case maximum:
			sums[to] = math.Max(sums[to], u)
		}
	}
	for to, s := range sums {
		switch {
		case counts[to] == 0:
			continue
		case l.element == ir.Boolean && l.reduction != none:
			s = math.Min(s, 1)
		case l.reduction != mean:
		case l.element.IsInteger():
			s = math.Floor(s / counts[to])
		default:
			s /= counts[to]
		}
		out[to] = s
	}
	return out
}

// tensorFrom returns a tensor of numbers. Strings hold them as text.
func tensorFrom(tb testing.TB, t ir.ElementType, shape ir.Shape, values []float64) *ir.Tensor {
	x, err := ir.NewTensor(t, shape...)
	require.NoError(tb, err)
	for i, v := range values {
		switch t {
		case ir.String:
			x.Strings()[i] = fmt.Sprint(v)
		case ir.F16:
			ir.Data[uint16](x)[i] = half.F32ToF16(float32(v))
		case ir.BF16:
			ir.Data[half.BFloat16](x)[i] = half.BFloat16Of(float32(v))
		case ir.F32:
			ir.Data[float32](x)[i] = float32(v)
		case ir.F64:
			ir.Data[float64](x)[i] = v
		case ir.I64:
			ir.Data[int64](x)[i] = int64(v)
		case ir.U64:
			ir.Data[uint64](x)[i] = uint64(v)
		case ir.I32, ir.U32:
			ir.Data[uint32](x)[i] = uint32(int64(v))
		case ir.I16, ir.U16:
			ir.Data[uint16](x)[i] = uint16(int64(v))
		default:
			if t.Size() == 0 {
				x.SetPacked(i, uint8(int64(v)))
			} else {
				x.Bytes()[i] = uint8(int64(v))
			}
		}
	}
	return x
}

// numbersFrom is the inverse of tensorFrom.
func numbersFrom(x *ir.Tensor) []float64 {
	values := make([]float64, x.Len())
	for i := range values {
		switch x.ElementType() {
		case ir.String:
			_, _ = fmt.Sscan(x.Strings()[i], &values[i])
		case ir.F16:
			values[i] = float64(half.F16ToF32(ir.Data[uint16](x)[i]))
		case ir.BF16:
			values[i] = float64(ir.Data[half.BFloat16](x)[i].Float32())
		case ir.F32:
			values[i] = float64(ir.Data[float32](x)[i])
		case ir.F64:
			values[i] = ir.Data[float64](x)[i]
		case ir.I64:
			values[i] = float64(ir.Data[int64](x)[i])
		case ir.U64:
			values[i] = float64(ir.Data[uint64](x)[i])
		case ir.I32:
			values[i] = float64(ir.Data[int32](x)[i])
		case ir.U32:
			values[i] = float64(ir.Data[uint32](x)[i])
		case ir.I16:
			values[i] = float64(ir.Data[int16](x)[i])
		case ir.U16:
			values[i] = float64(ir.Data[uint16](x)[i])
		case ir.I8:
			values[i] = float64(ir.Data[int8](x)[i])
		default:
			if x.ElementType().Size() == 0 {
				values[i] = float64(x.Packed(i))
			} else {
				values[i] = float64(x.Bytes()[i])
			}
		}
	}
	return values
}

// random returns a random layer. Every reduction computes its values exactly in every type:
// they are small integers, and few of them are greater than 1.
func random(r *rand.Rand, element, index ir.ElementType, f reduction) layer {
	l := layer{
		element: element, index: index, reduction: f,
		exclude: r.IntN(3) == 0, inPlace: r.IntN(2) == 0, axisInput: r.IntN(4) == 0, threads: 1 + r.IntN(3),
	}
	rank := 1 + r.IntN(4)
	axis := r.IntN(rank)
	for i := range rank {
		d := 1 + r.IntN(6)
		if r.IntN(8) == 0 {
			d = 1 + r.IntN(90/rank)
		}
		n := 1 + r.IntN(d)
		if r.IntN(2) == 0 {
			n = d
		}
		if i == axis {
			n = r.IntN(2 * d)
		}
		l.data, l.indices = append(l.data, d), append(l.indices, n)
	}
	l.axis = int64(axis)
	if r.IntN(2) == 0 {
		l.axis -= int64(rank)
	}
	number := func() float64 {
		switch {
		case element == ir.Boolean || element.Bits() == 1:
			return float64(r.IntN(2))
		case element.Bits() > 1 && element.Bits() < 4:
			return float64(r.IntN(4))
		case f == prod:
			return []float64{1, 1, 1, 1, 1, 2}[r.IntN(6)]
		}
		return float64(r.IntN(8))
	}
	for range l.data.Elements() {
		l.values = append(l.values, number())
	}
	for range l.indices.Elements() {
		l.change = append(l.change, number())
		place := r.IntN(l.data[axis])
		if index.Kind() == ir.KindSigned && r.IntN(2) == 0 {
			place -= l.data[axis]
		}
		l.places = append(l.places, float64(place))
	}
	return l
}

var integerTypes = []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}

func movedTypes() []ir.ElementType {
	return append([]ir.ElementType{
		ir.Boolean, ir.F16, ir.BF16, ir.F32, ir.F64, ir.F8E4M3, ir.F8E5M2, ir.F8E8M0,
		ir.U1, ir.U2, ir.U3, ir.U4, ir.U6, ir.I4, ir.NF4, ir.F4E2M1, ir.String,
	}, integerTypes...)
}

// TestRandom compares the kernels of every type and reduction with the reference.
func TestRandom(t *testing.T) {
	kinds := map[string]func(){"assembly": func() {}, "portable": func() {
		for _, f := range cpu.Features() {
			t.Cleanup(f.Disable())
		}
	}}
	for _, name := range []string{"assembly", "portable"} {
		kinds[name]()
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, 12))
			check := func(element ir.ElementType, f reduction) {
				for range 12 {
					l := random(r, element, integerTypes[r.IntN(len(integerTypes))], f)
					want, why := l.reference(), fmt.Sprintf("%+v", l)
					got, err := l.run(t)
					require.NoError(t, err, why)
					if element == ir.F16 || element == ir.BF16 || f == mean {
						require.InDeltaSlice(t, want, got, 0.02, why)
					} else {
						require.Equal(t, want, got, why)
					}
				}
			}
			for _, element := range movedTypes() {
				check(element, none)
			}
			for _, f := range []reduction{sum, prod, minimum, maximum, mean} {
				for _, element := range append([]ir.ElementType{ir.F16, ir.BF16, ir.F32, ir.F64}, integerTypes...) {
					check(element, f)
				}
				if f != mean {
					check(ir.Boolean, f)
				}
			}
		})
	}
}

// TestTiles compares shapes that are divided in different ways with the reference.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, c := range []struct {
		data, indices ir.Shape
		axis          int64
	}{
		{ir.Shape{3, 5000}, ir.Shape{3, 2500}, 1},    // lines longer than a block
		{ir.Shape{700, 9}, ir.Shape{700, 5}, 1},      // several lines per tile
		{ir.Shape{40, 3000}, ir.Shape{90, 3000}, 0},  // rows longer than a block
		{ir.Shape{40, 3000}, ir.Shape{90, 2999}, 0},  // rows shorter than those of data
		{ir.Shape{3000, 130}, ir.Shape{50, 130}, 0},  // columns in tiles, the last one narrower
		{ir.Shape{3000, 130}, ir.Shape{900, 130}, 0}, // tiles that copy data
		{ir.Shape{50, 130}, ir.Shape{900, 130}, 0},   // tiles that are reduced in a copy
		{ir.Shape{6, 50, 70}, ir.Shape{6, 90, 70}, 1},
		{ir.Shape{6, 50, 70}, ir.Shape{5, 90, 7}, 1},
		{ir.Shape{50, 3, 70}, ir.Shape{90, 3, 1}, 0},
		{ir.Shape{40000}, ir.Shape{35000}, 0},
		{ir.Shape{3000, 1, 1}, ir.Shape{7000, 1, 1}, 0},
		{ir.Shape{300, 1, 5}, ir.Shape{7000, 1, 1}, 0},
	} {
		for _, f := range []reduction{none, sum, maximum, mean} {
			element := []ir.ElementType{ir.F32, ir.F16, ir.U8, ir.I64}[r.IntN(4)]
			l := layer{
				element: element, index: []ir.ElementType{ir.I32, ir.I64, ir.U32}[r.IntN(3)], data: c.data, indices: c.indices,
				axis: c.axis, reduction: f, exclude: r.IntN(2) == 0, threads: 1 + r.IntN(3), inPlace: r.IntN(2) == 0,
			}
			for range c.data.Elements() {
				l.values = append(l.values, float64(r.IntN(4)))
			}
			for range c.indices.Elements() {
				l.change = append(l.change, float64(r.IntN(4)))
				l.places = append(l.places, float64(r.IntN(c.data[c.axis])))
			}
			got, err := l.run(t)
			require.NoError(t, err)
			why := fmt.Sprintf("%v %v %v of %v, %d threads", f, c.indices, element, c.data, l.threads)
			for i, want := range l.reference() {
				if math.Abs(want-got[i]) > 0.01 {
					t.Errorf("%s: element %d is %v, expected %v", why, i, got[i], want)
					break
				}
			}
		}
	}
}

// FuzzKernel compares the kernels with the reference, and checks that an index that is out of
// range is an error.
func FuzzKernel(f *testing.F) {
	for i := range uint64(40) {
		f.Add(i, uint8(i), uint8(i), uint8(i), int64(i)-20, uint16(i*7))
	}
	f.Fuzz(func(t *testing.T, seed uint64, element, index, red uint8, place int64, where uint16) {
		r := rand.New(rand.NewPCG(seed, 1))
		types := []ir.ElementType{ir.F32, ir.F16, ir.I8, ir.U64, ir.I32, ir.F64, ir.BF16}
		l := random(r, types[int(element)%len(types)], integerTypes[int(index)%len(integerTypes)], reduction(red%6))
		axis := int(l.axis)
		if axis < 0 {
			axis += len(l.data)
		}
		if len(l.places) > 0 && place != 0 {
			i := int(where) % len(l.places)
			if l.index == ir.U64 && place < 0 {
				place = -(place + 1) // a float64 does not hold the uint64
			}
			// Convert place to the type of the indices.
			l.places[i] = numbersFrom(tensorFrom(t, l.index, ir.Shape{1}, []float64{float64(place % (1 << 40))}))[0]
			if v, d := l.places[i], float64(l.data[axis]); v < -d || v >= d {
				_, err := l.run(t)
				var at *ops.IndexError
				require.ErrorAs(t, err, &at)
				if at.Unsigned {
					require.Equal(t, v, float64(uint64(at.Value)))
				} else {
					require.Equal(t, v, float64(at.Value))
				}
				return
			}
		}
		got, err := l.run(t)
		require.NoError(t, err)
		require.InDeltaSlice(t, l.reference(), got, 0.02)
	})
}
