package rnn

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// plain are the layer types of OpenVINO, and compressed the others.
var plain, compressed = Ops[:7], Ops[7:]

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 300, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 1e-5, ir.F16: 0.01, ir.BF16: 0.08}

// checkRandom compares a random layer with the formulas, element by element.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	op := &plain[rng.IntN(len(plain))]
	elementType := []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}[rng.IntN(4)]
	l := newLayer(rng, op, 1+rng.IntN(30), rng.IntN(6), rng.IntN(5), 1+rng.IntN(5))
	inputs := l.inputs(t, elementType)
	want := l.reference(t, inputs)
	constants := *op // W, R and B, which packed weights come from
	for i := range inputs {
		if i > l.states && (!l.sequence || i > l.states+1) {
			constants.Values = append(constants.Values, i)
		}
	}
	var first []*ir.Tensor
	for _, op := range []*ops.Op{op, &constants} {
		for threads := 1; threads <= 3; threads++ {
			got, err := layertest.RunOutputs(op, l.attributes, threads, len(want), inputs...)
			require.NoError(t, err)
			for i := range want {
				layertest.Near(t, want[i], got[i], tolerances[elementType], "%v %v, output %d, %d threads", op, l.attributes, i, threads)
			}
			if first == nil {
				first = got
			}
			for i := range got {
				require.Truef(t, bytes.Equal(first[i].Bytes(), got[i].Bytes()), "%v %v: constant weights or %d threads change output %d", op, l.attributes, threads, i)
			}
		}
	}
}

// testLayer is a layer with its sizes and what its attributes mean.
type testLayer struct {
	kind
	rng                             *rand.Rand
	attributes                      layertest.Attributes
	batch, steps, input, size, dirs int
	activations                     []string
	clip                            float64
	linear, reverse                 bool
}

var names = []string{"sigmoid", "tanh", "relu", "hardsigmoid"}

func newLayer(rng *rand.Rand, op *ops.Op, batch, steps, input, size int) *testLayer {
	l := &testLayer{rng: rng, batch: batch, steps: 1, input: input, size: size, dirs: 1}
	l.kind = kindOf(op)
	l.attributes = layertest.Attributes{"hidden_size", fmt.Sprint(size)}
	list := ""
	for i := range l.functionCount() {
		name := names[rng.IntN(len(names))]
		l.activations = append(l.activations, name)
		if i > 0 {
			list += ", "
		}
		list += name
	}
	l.attributes = append(l.attributes, "activations", list)
	// Without a limit, relu can make the states grow from step to step, and rounding errors with
	// them.
	if slices.Contains(l.activations, "relu") || rng.IntN(2) == 0 {
		l.clip = 0.5
		l.attributes = append(l.attributes, "clip", "0.5")
	}
	if l.gates == 3 && rng.IntN(2) == 0 {
		l.linear = true
		l.attributes = append(l.attributes, "linear_before_reset", "true")
	}
	if l.sequence {
		l.steps = steps
		direction := []string{"forward", "reverse", "bidirectional"}[rng.IntN(3)]
		l.reverse = direction == "reverse"
		if direction == "bidirectional" {
			l.dirs = 2
		}
		l.attributes = append(l.attributes, "direction", direction)
	}
	return l
}

// kindOf returns the kind of a layer type.
func kindOf(op *ops.Op) kind {
	k := map[string]kind{
		"GRU": {gates: 3, states: 1, defaults: "sigmoid,tanh"}, "LST": {gates: 4, states: 2, defaults: "sigmoid,tanh,tanh"},
		"RNN": {gates: 1, states: 1, defaults: "tanh"},
	}[op.Type[:3]]
	k.sequence, k.compressed = strings.HasSuffix(op.Type, "Sequence"), op.Namespace != ""
	return k
}

// inputs returns random inputs.
func (l *testLayer) inputs(t testing.TB, elementType ir.ElementType) []*ir.Tensor {
	numbers := func(lengths ...int) *ir.Tensor {
		shape := ir.Shape(lengths)
		return layertest.Numbers(t, elementType, shape, layertest.RandomNumbers(l.rng, 8, 0.125, shape.Elements())...)
	}
	biases := l.gates
	if l.linear {
		biases++
	}
	if !l.sequence {
		list := []*ir.Tensor{numbers(l.batch, l.input)}
		for range l.states {
			list = append(list, numbers(l.batch, l.size))
		}
		return append(list, numbers(l.gates*l.size, l.input), numbers(l.gates*l.size, l.size), numbers(biases*l.size))
	}
	list := []*ir.Tensor{numbers(l.batch, l.steps, l.input)}
	for range l.states {
		list = append(list, numbers(l.batch, l.dirs, l.size))
	}
	lengths := make([]int64, l.batch)
	for i := range lengths {
		lengths[i] = l.rng.Int64N(int64(l.steps) + 1)
	}
	return append(list, layertest.Ints(t, []ir.ElementType{ir.I32, ir.I64, ir.U8}[l.rng.IntN(3)], ir.Shape{l.batch}, lengths...),
		numbers(l.dirs, l.gates*l.size, l.input), numbers(l.dirs, l.gates*l.size, l.size), numbers(l.dirs, biases*l.size))
}

// given returns random inputs, and those of the layer in the test: if it is compressed, X·Wᵀ + B,
// and R as codes and scale.
func (l *testLayer) given(t testing.TB, elementType ir.ElementType) (inputs, given []*ir.Tensor) {
	inputs = l.inputs(t, elementType)
	if !l.compressed {
		return inputs, inputs
	}
	n := len(inputs) - 3
	rows := l.dirs * l.gates * l.size
	codes, scale, numbers := make([]int64, rows*l.size), make([]float64, rows), make([]float64, rows*l.size)
	for i := range codes {
		row := i / l.size
		if i%l.size == 0 {
			scale[row] = float64(1+l.rng.IntN(15)) / (1 << 11)
		}
		codes[i] = l.rng.Int64N(256) - 128
		numbers[i] = float64(codes[i]) * scale[row]
	}
	shape := inputs[n+1].Shape()
	inputs[n+1] = layertest.Numbers(t, ir.F32, shape, numbers...)
	x, w, b := layertest.Floats(t, inputs[0]), layertest.Floats(t, inputs[n]), layertest.Floats(t, inputs[n+2])
	gates := make([]float64, l.batch*l.steps*rows)
	for i := range gates {
		entry, row := i/rows, i%rows
		d, row := row/(rows/l.dirs), row%(rows/l.dirs)
		gates[i] = b[d*len(b)/l.dirs+row]
		for k, v := range w[i%rows*l.input:][:l.input] {
			gates[i] += v * x[entry*l.input+k]
		}
	}
	gateShape := ir.Shape{l.batch, l.steps, rows}
	if !l.sequence {
		gateShape = ir.Shape{l.batch, rows}
	}
	given = append([]*ir.Tensor{layertest.Numbers(t, ir.F32, gateShape, gates...)}, inputs[1:n]...)
	given = append(given, layertest.Ints(t, ir.I8, shape, codes...), layertest.Numbers(t, ir.F32, ir.Shape{rows}, scale...))
	if l.linear {
		given = append(given, inputs[n+2])
	}
	return inputs, given
}

// TestCompressed compares layers with R in 8 bits with the formulas: sizes of one group of rows and
// of several, batches and steps with which codes are decoded in each step, and once.
func TestCompressed(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range compressed {
		op := &compressed[i]
		for _, c := range []struct{ batch, steps, size int }{{1, 1, 5}, {3, 2, 40}, {6, 3, 32}, {1, 6, 33}, {5, 5, 24}, {9, 2, 20}, {17, 3, 48}, {2, 2, 264}, {10, 1, 264}, {0, 2, 8}, {2, 0, 8}} {
			l := newLayer(rng, op, c.batch, c.steps, rng.IntN(6), c.size)
			inputs, given := l.given(t, ir.F32)
			want := l.reference(t, inputs)
			var first []*ir.Tensor
			for threads := 1; threads <= 3; threads++ {
				got, err := layertest.RunOutputs(op, l.attributes, threads, len(want), given...)
				require.NoError(t, err)
				if first == nil {
					first = got
				}
				for i := range want {
					layertest.Near(t, want[i], got[i], 1e-4, "%v %v %v, output %d, %d threads", op, l.attributes, c, i, threads)
					require.Truef(t, bytes.Equal(first[i].Bytes(), got[i].Bytes()), "%v %v %v: %d threads change output %d", op, l.attributes, c, threads, i)
				}
			}
		}
	}
}

// TestCompressed_errors has inputs that do not fit together.
func TestCompressed_errors(t *testing.T) {
	op := layertest.FindType(t, compressed, "GRUCell-vinoir")
	numbers := func(shape ...int) *ir.Tensor {
		return layertest.Numbers(t, ir.F32, shape, make([]float64, ir.Shape(shape).Elements())...)
	}
	codes := layertest.Ints(t, ir.I8, ir.Shape{6, 2}, make([]int64, 12)...)
	for _, c := range []struct {
		linear string
		inputs []*ir.Tensor
		err    string
	}{
		{"false", []*ir.Tensor{numbers(1, 6), numbers(1, 2), numbers(6, 2), numbers(6)}, "codes are f32, expected i8"},
		{"false", []*ir.Tensor{numbers(1, 6), numbers(1, 2), codes, numbers(6, 1)}, "scale has shape [6,1], expected rank 1"},
		{"false", []*ir.Tensor{numbers(1, 6), numbers(1, 2), codes, numbers(5)}, "input 3 has shape [5], X [1,6] and the states need [6]"},
		{"false", []*ir.Tensor{numbers(1, 5), numbers(1, 2), codes, numbers(6)}, "input 0 has shape [1,5], X [1,5] and the states need [1,6]"},
		{"true", []*ir.Tensor{numbers(1, 6), numbers(1, 2), codes, numbers(6)}, "there are 4 inputs, and linear_before_reset is true"},
		{"false", []*ir.Tensor{numbers(1, 6), numbers(1, 2), codes, numbers(6), numbers(8)}, "there are 5 inputs, and linear_before_reset is false"},
	} {
		_, err := layertest.RunOutputs(op, layertest.Attributes{"hidden_size", "2", "linear_before_reset", c.linear}, 1, 1, c.inputs...)
		assert.EqualError(t, err, c.err)
	}
}

// reference computes the outputs by the formulas of the package comment.
func (l *testLayer) reference(t testing.TB, inputs []*ir.Tensor) [][]float64 {
	next := 0
	take := func() []float64 { next++; return layertest.Floats(t, inputs[next-1]) }
	x, h := take(), take()
	var c, lengths []float64
	if l.states == 2 {
		c = take()
	}
	if l.sequence {
		lengths = take()
	}
	w, r, b := take(), take(), take()
	y := make([]float64, l.batch*l.dirs*l.steps*l.size)
	ho, co := make([]float64, l.batch*l.dirs*l.size), make([]float64, l.batch*l.dirs*l.size)
	for n := range l.batch {
		for d := range l.dirs {
			at := (n*l.dirs + d) * l.size
			hidden := slices.Clone(h[at : at+l.size])
			var cell []float64
			if c != nil {
				cell = slices.Clone(c[at : at+l.size])
			}
			length := l.steps
			if lengths != nil {
				length = int(lengths[n])
			}
			for s := range length {
				step := s
				if l.reverse || d == 1 {
					step = length - 1 - s
				}
				hidden, cell = l.cell(x[(n*l.steps+step)*l.input:][:l.input], hidden, cell, w[d*len(w)/l.dirs:], r[d*len(r)/l.dirs:], b[d*len(b)/l.dirs:])
				copy(y[((n*l.dirs+d)*l.steps+step)*l.size:], hidden)
			}
			copy(ho[at:], hidden)
			copy(co[at:], cell)
		}
	}
	var outputs [][]float64
	if l.sequence {
		outputs = append(outputs, y)
	}
	if outputs = append(outputs, ho); l.states == 2 {
		outputs = append(outputs, co)
	}
	return outputs
}

// cell computes one step.
func (l *testLayer) cell(x, h, c, w, r, b []float64) (hidden, cell []float64) {
	// of returns the sum of a gate and an element, of the parts X and H with their bias.
	fromX := func(gate, e int) float64 {
		row, sum := gate*l.size+e, b[gate*l.size+e]
		for k, v := range x {
			sum += v * w[row*l.input+k]
		}
		return sum
	}
	fromH := func(gate, e int, h []float64) float64 {
		sum := 0.0
		for k, v := range h {
			sum += v * r[(gate*l.size+e)*l.size+k]
		}
		return sum
	}
	f := func(i int, v float64) float64 {
		if l.clip > 0 {
			v = min(max(v, -l.clip), l.clip)
		}
		return l.activate(i, v)
	}
	hidden, cell = make([]float64, l.size), make([]float64, l.size)
	reset := make([]float64, l.size)
	for e := range hidden {
		if l.gates == 3 {
			reset[e] = h[e] * f(0, fromX(1, e)+fromH(1, e, h))
		}
	}
	for e := range hidden {
		switch l.gates {
		case 1:
			hidden[e] = f(0, fromX(0, e)+fromH(0, e, h))
		case 3:
			z := f(0, fromX(0, e)+fromH(0, e, h))
			g := fromX(2, e) + fromH(2, e, reset)
			if l.linear {
				g = fromX(2, e) + f(0, fromX(1, e)+fromH(1, e, h))*(fromH(2, e, h)+b[3*l.size+e])
			}
			hidden[e] = (1-z)*f(1, g) + z*h[e]
		default:
			cell[e] = f(0, fromX(0, e)+fromH(0, e, h))*c[e] + f(0, fromX(1, e)+fromH(1, e, h))*f(1, fromX(2, e)+fromH(2, e, h))
			hidden[e] = f(0, fromX(3, e)+fromH(3, e, h)) * l.activate(2, cell[e])
		}
	}
	return hidden, cell
}

func (l *testLayer) activate(i int, v float64) float64 {
	switch l.activations[i] {
	case "sigmoid":
		return 1 / (1 + math.Exp(-v))
	case "tanh":
		return math.Tanh(v)
	case "relu":
		return max(v, 0)
	}
	return min(max(0.2*v+0.5, 0), 1)
}

// TestLarge has weights of several blocks, and a batch for several threads.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for _, name := range []string{"LSTMSequence-5", "GRUSequence-5"} {
		l := newLayer(rng, layertest.FindType(t, Ops, name), 30, 3, 400, 50)
		inputs := l.inputs(t, ir.F64)
		got, err := layertest.RunOutputs(layertest.FindType(t, Ops, name), l.attributes, 2, 1+l.states, inputs...)
		require.NoError(t, err)
		for i, want := range l.reference(t, inputs) {
			layertest.Near(t, want, got[i], 1e-8, "%s, output %d", name, i)
		}
	}
}

// TestThreads has batches that threads share in groups of a few rows, and states that are long
// enough for them to share the steps. Neither may change the numbers.
func TestThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for i := range Ops {
		for _, c := range []struct{ batch, steps, size int }{{4, 2, 32}, {8, 2, 32}, {12, 2, 32}, {28, 2, 32}, {1, 2, 370}, {2, 3, 370}} {
			l := newLayer(rng, &Ops[i], c.batch, c.steps, 5, c.size)
			outputs := l.states
			if l.sequence {
				outputs++
			}
			_, inputs := l.given(t, ir.F32)
			want, err := layertest.RunOutputs(&Ops[i], l.attributes, 1, outputs, inputs...)
			require.NoError(t, err)
			for threads := 2; threads <= 5; threads++ {
				got, err := layertest.RunOutputs(&Ops[i], l.attributes, threads, outputs, inputs...)
				require.NoError(t, err)
				for j := range want {
					assert.Equal(t, want[j].Bytes(), got[j].Bytes(), "%v, %v, %d threads, output %d", &Ops[i], c, threads, j)
				}
			}
		}
	}
}

// TestParameters has activations_alpha and activations_beta.
func TestParameters(t *testing.T) {
	at := layertest.Attributes{"hidden_size", "1", "activations", "hardsigmoid", "activations_alpha", "0.5", "activations_beta", "0.25"}
	one := func(v float64, shape ...int) *ir.Tensor { return layertest.Numbers(t, ir.F32, shape, v) }
	got, err := layertest.Run(layertest.FindType(t, Ops, "RNNCell-1"), at, 1, one(1, 1, 1), one(0, 1, 1), one(0.5, 1, 1), one(0, 1, 1), one(0, 1))
	require.NoError(t, err)
	assert.Equal(t, []float32{0.5}, ir.Data[float32](got))
}

func TestErrors(t *testing.T) {
	sequence := layertest.FindType(t, Ops, "RNNSequence-5")
	at := layertest.Attributes{"hidden_size", "1", "direction", "forward"}
	zeros := func(shape ...int) *ir.Tensor {
		return layertest.Numbers(t, ir.F32, shape, make([]float64, ir.Shape(shape).Elements())...)
	}
	inputs := func(lengths *ir.Tensor) []*ir.Tensor {
		return []*ir.Tensor{zeros(2, 3, 1), zeros(2, 1, 1), lengths, zeros(1, 1, 1), zeros(1, 1, 1), zeros(1, 1)}
	}
	for _, c := range []struct {
		lengths []int64
		err     string
	}{
		{[]int64{3, 4}, "sequence_lengths[1] is 4, X has 3 steps"},
		{[]int64{-1, 3}, "sequence_lengths[0] is -1, X has 3 steps"},
	} {
		_, err := layertest.RunOutputs(sequence, at, 1, 2, inputs(layertest.Ints(t, ir.I64, ir.Shape{2}, c.lengths...))...)
		assert.EqualError(t, err, c.err)
	}
	_, err := layertest.RunOutputs(sequence, at, 1, 2, inputs(zeros(2))...)
	assert.EqualError(t, err, "RNNSequence-5 has no kernel for input 2 of type f32, only for [i8 i16 i32 i64 u8 u16 u32 u64 u1 u2 u3 u4 u6 i4]")
	lengths := layertest.Ints(t, ir.I64, ir.Shape{2}, 1, 2)
	_, err = layertest.RunOutputs(sequence, at, 1, 2, zeros(2, 3, 2), zeros(2, 1, 1), lengths, zeros(1, 1, 1), zeros(1, 1, 1), zeros(1, 1))
	assert.EqualError(t, err, "input 3 has shape [1,1,1], X [2,3,2] and the states need [1,1,2]")
	_, err = layertest.RunOutputs(sequence, append(at, "activations", "elu"), 1, 2, inputs(lengths)...)
	assert.EqualError(t, err, `"elu" is none of the activations sigmoid, tanh, relu, hardsigmoid`)
	_, err = layertest.RunOutputs(layertest.FindType(t, Ops, "GRUSequence-5"), append(at, "activations", "tanh"), 1, 2, zeros(2, 3, 1), zeros(2, 1, 1), lengths, zeros(1, 3, 1), zeros(1, 3, 1), zeros(1, 3))
	assert.EqualError(t, err, "1 activations are named, the cell has 2")
}

func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	for i := range 2 * len(Ops) {
		l := newLayer(rng, &Ops[i/2], 5, 3, 4, 3)
		if i%2 == 1 {
			l = newLayer(rng, &Ops[i/2], 1, 2, 4, 370) // threads share the steps
		}
		for _, elementType := range []ir.ElementType{ir.F32, ir.F16} {
			if l.compressed && elementType != ir.F32 {
				continue
			}
			outputs := l.states
			if l.sequence {
				outputs++
			}
			_, inputs := l.given(t, elementType)
			layertest.CheckAllocationsOf(t, &Ops[i/2], l.attributes, outputs, inputs...)
		}
	}
}
