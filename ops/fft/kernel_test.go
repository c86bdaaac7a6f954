package fft

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// array is a tensor of complex numbers.
type array struct {
	shape ir.Shape
	data  []complex128
}

// along returns x with the axis of length n, where f computes each element k of a line from all
// elements of the line.
func (x array) along(axis, n int, f func(line []complex128, k int) complex128) array {
	shape := append(ir.Shape(nil), x.shape...)
	shape[axis] = n
	out := array{shape, make([]complex128, shape.Elements())}
	inner := x.shape[axis+1:].Elements()
	line := make([]complex128, x.shape[axis])
	for i := range out.data {
		outer, k, rest := i/inner/n, i/inner%n, i%inner
		for j := range line {
			line[j] = x.data[(outer*len(line)+j)*inner+rest]
		}
		out.data[i] = f(line, k)
	}
	return out
}

// resize cuts or pads an axis.
func (x array) resize(axis, n int) array {
	return x.along(axis, n, func(line []complex128, k int) complex128 {
		if k < len(line) {
			return line[k]
		}
		return 0
	})
}

// transform computes the definition, without a factor.
func (x array) transform(axis int, sign float64) array {
	return x.along(axis, x.shape[axis], func(line []complex128, k int) complex128 {
		sum := complex128(0)
		for j, v := range line {
			sum += v * cmplx.Exp(complex(0, sign*2*math.Pi*float64(j*k%len(line))/float64(len(line))))
		}
		return sum
	})
}

func (x array) scale(by float64) array {
	for i := range x.data {
		x.data[i] *= complex(by, 0)
	}
	return x
}

// reference returns the output of a layer type for the given axes and lengths, and whether the
// output has pairs.
func reference(name string, x array, axes, sizes []int) (array, bool) {
	last := len(axes) - 1
	for i, axis := range axes {
		switch {
		case name == "DFT-7":
			x = x.resize(axis, sizes[i]).transform(axis, -1)
		case name == "IDFT-7":
			x = x.resize(axis, sizes[i]).transform(axis, 1).scale(1 / float64(sizes[i]))
		case name == "RDFT-9":
			x = x.resize(axis, sizes[i]).transform(axis, -1)
			if i == last {
				x = x.resize(axis, sizes[i]/2+1)
			}
		case i < last: // IRDFT-9
			x = x.resize(axis, sizes[i]).transform(axis, 1).scale(1 / float64(sizes[i]))
		default:
			n := sizes[i]
			x = x.resize(axis, n/2+1).along(axis, n, func(line []complex128, k int) complex128 {
				switch {
				case k == 0 || 2*k == n:
					return complex(real(line[k]), 0)
				case 2*k < n:
					return line[k]
				}
				return cmplx.Conj(line[n-k])
			})
			x = x.transform(axis, 1).scale(1 / float64(n))
		}
	}
	return x, name != "IRDFT-9"
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 300, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	op := &Ops[rng.IntN(len(Ops))]
	name := op.String()
	shape := ir.Shape{}
	for range 1 + rng.IntN(3) {
		shape = append(shape, 1+rng.IntN(12))
	}
	if rng.IntN(8) == 0 {
		shape[rng.IntN(len(shape))] = 37 + rng.IntN(40)
	}
	order := rng.Perm(len(shape))[:1+rng.IntN(len(shape))]
	var axes, values, sizes []int64
	var lengths, indices []int
	sized := rng.IntN(2) == 0
	for i, axis := range order {
		n, size := shape[axis], int64(-1)
		if name == "IRDFT-9" && i == len(order)-1 {
			n = 2 * (n - 1)
		}
		if sized && rng.IntN(4) > 0 {
			n = 1 + rng.IntN(14)
			size = int64(n)
		}
		indices, lengths = append(indices, axis), append(lengths, n)
		sizes = append(sizes, size)
		if rng.IntN(2) == 0 {
			axis -= len(shape)
		}
		axes = append(axes, int64(axis))
	}
	values = sizes
	pairs := name != "RDFT-9"
	x := array{shape, make([]complex128, shape.Elements())}
	numbers := layertest.RandomNumbers(rng, 8, 0.25, 2*len(x.data))
	full := shape
	if pairs {
		full = append(append(ir.Shape(nil), shape...), 2)
	}
	for i := range x.data {
		if pairs {
			x.data[i] = complex(numbers[2*i], numbers[2*i+1])
		} else {
			x.data[i] = complex(numbers[i], 0)
		}
	}
	numbers = numbers[:full.Elements()]
	out, paired := reference(name, x, indices, lengths)
	var want []float64
	outShape := out.shape
	for _, v := range out.data {
		want = append(want, real(v))
		if paired {
			want = append(want, imag(v))
		}
	}
	if paired {
		outShape = append(append(ir.Shape(nil), outShape...), 2)
	}
	largest := 1.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F32: 2e-6, ir.F16: 1e-3, ir.BF16: 1e-2} {
		inputs := []*ir.Tensor{
			layertest.Numbers(t, elementType, full, numbers...),
			layertest.Ints(t, ir.I64, ir.Shape{len(axes)}, axes...),
		}
		if sized {
			inputs = append(inputs, layertest.Ints(t, ir.I32, ir.Shape{len(values)}, values...))
		}
		layertest.CheckNear(t, op, nil, outShape, want, tolerance*largest, inputs...)
	}
}

// The results are OpenVINO's, or NumPy's where it has none.
func TestKernel_borders(t *testing.T) {
	bins := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		name       string
		shape      ir.Shape
		data       []float64
		axes, size []int64
		wantShape  ir.Shape
		want       []float64
	}{
		{"IRDFT-9", ir.Shape{3, 2}, bins, []int64{0}, []int64{1}, ir.Shape{1}, []float64{1}},
		{"IRDFT-9", ir.Shape{3, 2}, bins, []int64{0}, []int64{5}, ir.Shape{5}, []float64{3.4, -3.97959, 1.18927, -1.49490, 1.88519}},
		{"IRDFT-9", ir.Shape{3, 2}, bins, []int64{0}, []int64{4}, ir.Shape{4}, []float64{3, -3, 0, 1}},
		{"IRDFT-9", ir.Shape{3, 2}, bins, []int64{0}, []int64{9}, ir.Shape{9}, []float64{1.88889, -1.06969, -2.14864, -0.39288, 0.88884, -0.21722, -1.16268, 0.51419, 2.69920}},
		{"IRDFT-9", ir.Shape{1, 2}, []float64{1, 2}, []int64{0}, nil, ir.Shape{0}, nil},
		{"RDFT-9", ir.Shape{3}, []float64{1, 2, 3}, []int64{0}, []int64{1}, ir.Shape{1, 2}, []float64{1, 0}},
		{"RDFT-9", ir.Shape{3}, []float64{1, 2, 3}, []int64{0}, []int64{0}, ir.Shape{0, 2}, nil},
		{"RDFT-9", ir.Shape{2}, []float64{1, 2}, []int64{0}, []int64{4}, ir.Shape{3, 2}, []float64{3, 0, 1, -2, -1, 0}},
		{"DFT-7", ir.Shape{2, 2}, []float64{1, 2, 3, 4}, []int64{}, nil, ir.Shape{2, 2}, []float64{1, 2, 3, 4}},
		{"DFT-7", ir.Shape{0, 2}, nil, []int64{0}, []int64{3}, ir.Shape{3, 2}, []float64{0, 0, 0, 0, 0, 0}},
		{"IDFT-7", ir.Shape{0, 2, 2}, nil, []int64{1, 0}, []int64{-1, 1}, ir.Shape{1, 2, 2}, []float64{0, 0, 0, 0}},
		{"DFT-7", ir.Shape{0, 3, 2}, nil, []int64{1}, nil, ir.Shape{0, 3, 2}, nil},
	} {
		t.Run(fmt.Sprint(c.name, c.shape, c.axes, c.size), func(t *testing.T) {
			inputs := []*ir.Tensor{layertest.Numbers(t, ir.F32, c.shape, c.data...), layertest.Ints(t, ir.I64, ir.Shape{len(c.axes)}, c.axes...)}
			if c.size != nil {
				inputs = append(inputs, layertest.Ints(t, ir.I64, ir.Shape{len(c.size)}, c.size...))
			}
			layertest.CheckNear(t, layertest.FindType(t, Ops, c.name), nil, c.wantShape, c.want, 1e-4, inputs...)
		})
	}
}

func TestKernel_negativeSize(t *testing.T) {
	for i := range Ops {
		data := layertest.Counted(t, ir.F32, 4, 2)
		_, err := layertest.Run(&Ops[i], nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{1}, 0), layertest.Ints(t, ir.I64, ir.Shape{1}, -3))
		assert.ErrorContains(t, err, "signal_size is [-3], expected lengths or -1", "%v", &Ops[i])
	}
}

// TestKernel_allocations has enough work for several threads, in rows, columns and long lines.
func TestKernel_allocations(t *testing.T) {
	for i := range Ops {
		for _, shape := range []ir.Shape{{40, 60, 2}, {1, 20000, 2}, {67, 33, 2}} {
			if Ops[i].Type == "RDFT" {
				shape = shape[:2]
			}
			for _, elementType := range Ops[i].Types {
				layertest.CheckAllocations(t, &Ops[i], nil, layertest.Counted(t, elementType, shape...), layertest.Ints(t, ir.I64, ir.Shape{2}, 0, 1))
			}
		}
	}
}
