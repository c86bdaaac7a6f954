package dynamicquantizelstm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// testLayer is a random layer.
type testLayer struct {
	steps, batch, input, size, dirs int
	reverse                         bool
	clip                            float64
	attributes                      layertest.Attributes
	inputs                          []*ir.Tensor
	values                          [][]float64 // of the inputs
}

func newTestLayer(t testing.TB, rng *rand.Rand) *testLayer {
	l := &testLayer{steps: 1 + rng.IntN(5), batch: 1 + rng.IntN(3), input: 1 + rng.IntN(9), size: 1 + rng.IntN(20), dirs: 1}
	direction := []string{"forward", "reverse", "bidirectional"}[rng.IntN(3)]
	l.reverse = direction == "reverse"
	if direction == "bidirectional" {
		l.dirs = 2
	}
	l.attributes = layertest.Attributes{"direction", direction}
	if rng.IntN(3) == 0 {
		l.clip = 0.5
		l.attributes = append(l.attributes, "clip", "0.5")
	}
	lengths := make([]int64, l.batch)
	for i := range lengths {
		lengths[i] = rng.Int64N(int64(l.steps) + 1)
	}
	numbers := func(lengths ...int) *ir.Tensor {
		shape := ir.Shape(lengths)
		return layertest.Numbers(t, ir.F32, shape, layertest.RandomNumbers(rng, 8, 0.1, shape.Elements())...)
	}
	states := func() *ir.Tensor { return numbers(l.dirs, l.batch, l.size) }
	l.inputs = []*ir.Tensor{numbers(l.steps, l.batch, l.input), layertest.Ints(t, ir.I32, ir.Shape{l.batch}, lengths...), states(), states()}
	l.inputs = append(append(l.inputs, l.weights(t, rng, l.input)...), l.weights(t, rng, l.size)...)
	l.inputs = append(l.inputs, numbers(l.dirs, 2*gates*l.size))
	for _, in := range l.inputs {
		l.values = append(l.values, layertest.Floats(t, in))
	}
	return l
}

// weights returns random weights with scales and zero points.
func (l *testLayer) weights(t testing.TB, rng *rand.Rand, rows int) []*ir.Tensor {
	elementType, least := ir.I8, int64(-128)
	if rng.IntN(2) == 0 {
		elementType, least = ir.U8, 0
	}
	random := func(shape ir.Shape, least, most int64) *ir.Tensor {
		list := make([]int64, shape.Elements())
		for i := range list {
			list[i] = least + rng.Int64N(most-least+1)
		}
		return layertest.Ints(t, elementType, shape, list...)
	}
	factors := ir.Shape{l.dirs}
	if rng.IntN(2) == 0 {
		factors = ir.Shape{l.dirs, gates * l.size}
	}
	scale := layertest.Numbers(t, ir.F32, factors, layertest.RandomNumbers(rng, 7, 0.0001, factors.Elements())...)
	zero := random(factors, least+128, least+128)
	if rng.IntN(2) == 0 {
		zero = random(factors, least+120, least+136)
	}
	return []*ir.Tensor{random(ir.Shape{l.dirs, rows, gates * l.size}, least, least+255), scale, zero}
}

// multiply returns the product of a row and column j of the weights of direction d.
func (l *testLayer) multiply(port, d, j int, row []float64) float64 {
	factor := func(list []float64) float64 {
		each := len(list) / l.dirs
		return list[d*each+j%each]
	}
	sum, zero := 0.0, factor(l.values[port+2])
	for i, x := range row {
		sum += x * (l.values[port][(d*len(row)+i)*gates*l.size+j] - zero)
	}
	return sum * factor(l.values[port+1])
}

// roundAll returns the numbers that x is rounded to.
func roundAll(x []float64) []float64 {
	low, high := 0.0, 0.0
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	scale := float64((float32(high) - float32(low)) / 255)
	if scale == 0 {
		scale = 1
	}
	zero := math.RoundToEven(float64(float32(-low) / float32(scale)))
	list := make([]float64, len(x))
	for i, v := range x {
		list[i] = (min(max(math.RoundToEven(float64(float32(v)/float32(scale)))+zero, 0), 255) - zero) * scale
	}
	return list
}

// want returns the outputs, computed by their definition.
func (l *testLayer) want() [3][]float64 {
	x, bias, lengths, columns := l.values[xPort], l.values[biasPort], l.values[lengthsPort], gates*l.size
	var out [3][]float64
	for i, n := range []int{l.steps, 1, 1} {
		out[i] = make([]float64, n*l.dirs*l.batch*l.size)
	}
	longest := 0
	for _, n := range lengths {
		longest = max(longest, int(n))
	}
	x = roundAll(x[:longest*l.batch*l.input])
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for d := range l.dirs {
		states := l.batch * l.size
		h, c := slices.Clone(l.values[hiddenPort][d*states:][:states]), slices.Clone(l.values[cellPort][d*states:][:states])
		for step := range longest {
			rounded := roundAll(h)
			for n, length := range lengths {
				from := step
				if d == 1 || l.reverse {
					from = int(length) - 1 - step
				}
				for i := range l.size {
					at := n*l.size + i
					if step >= int(length) {
						h[at] = 0
						continue
					}
					gate := func(k int) float64 {
						j := k*l.size + i
						sum := l.multiply(weightsPort, d, j, x[(from*l.batch+n)*l.input:][:l.input]) + l.multiply(recurrentPort, d, j, rounded[n*l.size:][:l.size])
						sum += bias[2*d*columns+j] + bias[(2*d+1)*columns+j]
						if l.clip > 0 {
							return min(max(sum, -l.clip), l.clip)
						}
						return sum
					}
					c[at] = sigmoid(gate(2))*c[at] + sigmoid(gate(0))*math.Tanh(gate(3))
					h[at] = math.Tanh(c[at]) * sigmoid(gate(1))
					out[0][((from*l.dirs+d)*l.batch+n)*l.size+i] = h[at]
					out[1][d*states+at], out[2][d*states+at] = h[at], c[at]
				}
			}
		}
	}
	return out
}

// checkRandom allows what a state that is rounded to another integer changes: its last bits decide.
func checkRandom(t *testing.T, seed uint64) {
	l := newTestLayer(t, rand.New(rand.NewPCG(seed, 3)))
	want := l.want()
	for threads := 1; threads <= 2; threads++ {
		out, err := layertest.RunOutputs(&Ops[0], l.attributes, threads, 3, l.inputs...)
		require.NoError(t, err)
		for i := range want {
			layertest.Near(t, want[i], out[i], 2e-3, "seed %d, %v, output %d", seed, l.attributes, i)
		}
	}
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 50, checkRandom) }

// TestKernel_threads has states that are long enough for threads to share the steps.
func TestKernel_threads(t *testing.T) {
	attributes, inputs := large(t, 3, 8, 800)
	want, err := layertest.RunOutputs(&Ops[0], attributes, 1, 3, inputs...)
	require.NoError(t, err)
	got, err := layertest.RunOutputs(&Ops[0], attributes, 3, 3, inputs...)
	require.NoError(t, err)
	for i := range want {
		assert.Equal(t, want[i].Bytes(), got[i].Bytes())
	}
	inputs[hiddenPort], inputs[cellPort] = layertest.Counted(t, ir.F32, 1, 1, 800), layertest.Counted(t, ir.F32, 1, 1, 800)
	for _, rows := range []int{weightsPort, recurrentPort} {
		codes := ir.Data[int8](inputs[rows])
		inputs[rows], err = ir.TensorOf(ir.I8, ir.Shape{1, len(codes) / 2 / (gates * 800), gates * 800}, codes[:len(codes)/2])
		require.NoError(t, err)
		inputs[rows+1], inputs[rows+2] = layertest.Numbers(t, ir.F32, ir.Shape{1}, 1e-4), layertest.Ints(t, ir.I8, ir.Shape{1}, 0)
	}
	inputs[biasPort] = layertest.Counted(t, ir.F32, 1, 2*gates*800)
	layertest.CheckAllocationsOf(t, &Ops[0], nil, 3, inputs...)
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// large returns the inputs of a bidirectional layer.
func large(t testing.TB, steps, input, size int) (layertest.Attributes, []*ir.Tensor) {
	shape := func(lengths ...int) *ir.Tensor { return layertest.Counted(t, ir.F32, lengths...) }
	inputs := []*ir.Tensor{shape(steps, 1, input), layertest.Ints(t, ir.I32, ir.Shape{1}, int64(steps)), shape(2, 1, size), shape(2, 1, size)}
	for _, rows := range []int{input, size} {
		scale := layertest.Numbers(t, ir.F32, ir.Shape{2}, 1e-4, 1e-4)
		inputs = append(inputs, layertest.Counted(t, ir.I8, 2, rows, gates*size), scale, layertest.Ints(t, ir.I8, ir.Shape{2}, 0, 0))
	}
	return layertest.Attributes{"direction", "bidirectional"}, append(inputs, shape(2, 2*gates*size))
}

func TestKernel_allocations(t *testing.T) {
	attributes, inputs := large(t, 3, 8, 12)
	layertest.CheckAllocationsOf(t, &Ops[0], attributes, 3, inputs...)
}

// TestKernel_unusual has no steps, no entries, infinities and NaN.
func TestKernel_unusual(t *testing.T) {
	attributes, inputs := large(t, 0, 8, 12)
	out, err := layertest.RunOutputs(&Ops[0], attributes, 1, 3, inputs...)
	require.NoError(t, err)
	assert.Zero(t, ir.Data[float32](out[1])[5])
	attributes, inputs = large(t, 2, 8, 12)
	copy(ir.Data[float32](inputs[xPort]), []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e-45, math.MaxFloat32, -math.MaxFloat32})
	_, err = layertest.RunOutputs(&Ops[0], attributes, 1, 3, inputs...)
	require.NoError(t, err)
	inputs[lengthsPort] = layertest.Ints(t, ir.I32, ir.Shape{1}, 3)
	_, err = layertest.RunOutputs(&Ops[0], attributes, 1, 3, inputs...)
	assert.EqualError(t, err, "lengths[0] is 3, X has 2 steps")
	_, inputs = large(t, 2, 0, 12)
	_, err = layertest.RunOutputs(&Ops[0], attributes, 1, 3, inputs...)
	assert.EqualError(t, err, "X has shape [2,1,0], expected rows of at least one element")
	_, inputs = large(t, 2, 4, 0)
	_, err = layertest.RunOutputs(&Ops[0], attributes, 1, 3, inputs...)
	assert.NoError(t, err)
}

func TestKernel_stop(t *testing.T) {
	attributes, inputs := large(t, 40, 8, 12)
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], attributes, 1, 3, inputs...)
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}

// BenchmarkLayer has a bidirectional tagger of 256 units, with one sentence of 50 words.
func BenchmarkLayer(b *testing.B) {
	attributes, inputs := large(b, 50, 128, 256)
	layertest.BenchmarkOf(b, "256", &Ops[0], attributes, 3, inputs...)
}
