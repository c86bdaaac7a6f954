package plugin

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// array is a tensor of the interpreter.
type array struct {
	shape ir.Shape
	data  []int64
}

// arrayOf returns a copy of t.
func arrayOf(t *ir.Tensor) array {
	data, err := t.Ints()
	if err != nil {
		panic(err)
	}
	return array{slices.Clone(t.Shape()), data}
}

// interpret computes the results of g one layer after the other. Values share no memory.
func interpret(g *testGraph, inputs []*ir.Tensor) ([]array, error) {
	type output struct {
		layer *ir.Layer
		index int
	}
	values := map[output]array{}
	for i, p := range g.Parameters {
		values[output{p, 0}] = arrayOf(inputs[i])
	}
	var results []array
	for _, layer := range g.Order {
		var in []array
		for _, source := range layer.Inputs {
			in = append(in, values[output{source.Source, source.SourceIndex}])
		}
		var a, b array
		var err error
		switch layer.Type {
		case "Parameter":
			continue
		case "Constant":
			a = arrayOf(layer.Constant)
		case "Result":
			results = append(results, in[0])
		default:
			a, b, err = interpretLayer(layer.Type, in)
		}
		if err != nil {
			return nil, err
		}
		values[output{layer, 0}], values[output{layer, 1}] = a, b
	}
	return results, nil
}

// interpretLayer returns the outputs of a layer. b is empty if the layer has one output.
func interpretLayer(layerType string, in []array) (a, b array, err error) {
	a = array{slices.Clone(in[0].shape), slices.Clone(in[0].data)}
	switch layerType {
	case "Sum", "Mirror":
		if !slices.Equal(a.shape, in[1].shape) {
			return a, b, errors.New("shapes differ")
		}
		other := slices.Clone(in[1].data)
		if layerType == "Mirror" {
			slices.Reverse(other)
		}
		for i, v := range other {
			a.data[i] = int64(int32(a.data[i] + v))
		}
	case "Inc":
		for i := range a.data {
			a.data[i]++
		}
	case "Reverse":
		slices.Reverse(a.data)
	case "Halves":
		h := len(a.data) / 2
		a, b = array{ir.Shape{h}, a.data[:h]}, array{ir.Shape{len(a.data) - h}, a.data[h:]}
	case "Concat":
		for _, other := range in[1:] {
			a.data = append(a.data, other.data...)
		}
		a.shape = ir.Shape{len(a.data)}
	case "Reform":
		a.shape = nil
		for _, n := range in[1].data {
			a.shape = append(a.shape, int(n))
		}
		if a.shape.Elements() != len(a.data) {
			return a, b, errors.New("the count differs")
		}
	case "Prefix":
		n := int(in[1].data[0])
		if n < 0 || n > len(a.data) {
			return a, b, errors.New("the length is beyond the input")
		}
		a = array{ir.Shape{n}, a.data[:n]}
	case "Shift":
		for i := range a.data {
			a.data[i] += in[1].data[0]
		}
	case "Positive":
		a.data = slices.DeleteFunc(a.data, func(v int64) bool { return v <= 0 })
		a.shape = ir.Shape{len(a.data)}
	case "ShapeOf":
		a = array{shape: ir.Shape{len(in[0].shape)}}
		for _, n := range in[0].shape {
			a.data = append(a.data, int64(n))
		}
	default:
		panic("BUG: " + layerType)
	}
	return a, b, nil
}

// randomGraph returns a random graph over the Parameters x and y, of the given shape, and len. If
// late is set, some shapes depend on data.
func randomGraph(rng *rand.Rand, shape string, late bool) *testGraph {
	g := &testGraph{}
	x, y, n := g.parameter("x", "i32", shape), g.parameter("y", "i32", shape), g.parameter("len", "i64", "1")
	c, err := ir.TensorOf(ir.I32, ir.Shape{5}, []int32{1, -2, 3, -4, 5})
	if err != nil {
		panic(err)
	}
	vectors := []ir.Input{x, y, g.constant(c)}
	two := g.constant(mustInts(2))
	pick := func() ir.Input { // prefers the latest values, so that there are chains of layers
		if rng.IntN(2) == 0 {
			return vectors[max(0, len(vectors)-1-rng.IntN(3))]
		}
		return vectors[rng.IntN(len(vectors))]
	}
	for range rng.IntN(20) {
		v := pick()
		switch choice := rng.IntN(10); {
		case choice == 0:
			vectors = append(vectors, g.op("Inc", v))
		case choice == 1:
			vectors = append(vectors, g.op("Reverse", v))
		case choice == 2:
			layer := g.add(ir.Layer{Type: "Halves"}, 2, v)
			vectors = append(vectors, out(layer, 0), out(layer, 1))
		case choice == 3:
			layer := ir.Layer{Type: "Concat", Data: []ir.Attribute{{Name: "axis", Value: "0"}}}
			vectors = append(vectors, out(g.add(layer, 1, v, pick()), 0))
		case choice == 4:
			vectors = append(vectors, g.op("Reform", v, g.op("ShapeOf", v)))
		case choice == 5:
			vectors = append(vectors, g.op("Reform", v, g.op("ShapeOf", pick())))
		case choice == 6 && late:
			vectors = append(vectors, g.op("Positive", v))
		case choice == 7 && late:
			vectors = append(vectors, g.op("Prefix", v, []ir.Input{n, two}[rng.IntN(2)]))
		case choice == 8:
			vectors = append(vectors, g.op("Shift", v, []ir.Input{n, two}[rng.IntN(2)]))
		default:
			// The second input is likely to have the shape of v.
			vectors = append(vectors, g.op([]string{"Sum", "Mirror"}[rng.IntN(2)], v, []ir.Input{v, g.op("Reverse", v), pick()}[rng.IntN(3)]))
		}
	}
	for range 1 + rng.IntN(4) {
		g.result(pick())
	}
	g.result(vectors[len(vectors)-1])
	if err := edit.Sort(&g.Model); err != nil {
		panic(err)
	}
	return g
}

// TestRandomGraphs compares random graphs with the interpreter, which shares no memory between
// values. The shapes are static, dynamic or depend on data. One request runs several times with
// other inputs, and sometimes writes to an output of the caller. Sometimes its plans leave lengths
// of inputs open.
func TestRandomGraphs(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	ran := 0
	for seed := range n {
		ran += checkRandomGraph(t, uint64(seed))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	require.Greater(t, ran, n/2, "graphs that run")
}

func FuzzRandomGraphs(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandomGraph(t, seed) })
}

// checkRandomGraph compares one random graph with the interpreter. It returns 1 if an inference
// succeeded, else 0.
func checkRandomGraph(t *testing.T, seed uint64) (ran int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	length := 1 + rng.IntN(9)
	shape := []string{strconv.Itoa(length), "?", "?"}[seed%3]
	g := randomGraph(rng, shape, seed%3 == 2)
	options := CompileOptions{InferenceNumThreads: 1 + rng.IntN(2), EnableProfiling: rng.IntN(2) == 0}
	if rng.IntN(2) == 0 {
		options.Disable = Optimizations()
	}
	compiled, err := testCore(t, Options{MaxPlans: 2}).CompileModel(background, &g.Model, options)
	if err != nil {
		// CompileModel may only reject a graph that fails for every input.
		_, want := interpret(g, randomInputs(t, rng, length))
		require.Error(t, want, "CompileModel refuses: %v", err)
		return 0
	}
	defer compiled.Close()
	if shape == "?" && rng.IntN(2) == 0 { // whatever share of the steps is late
		compiled.program.Lengths.Open.Store(&plan.LengthSet{rng.IntN(2) == 0, rng.IntN(2) == 0, false})
	}
	request := compiled.NewInferRequest()
	for range 6 {
		n := length
		if shape == "?" {
			n = rng.IntN(10)
		}
		ran += checkInfer(t, rng, g, request, randomInputs(t, rng, n), shape != "?")
	}
	return min(ran, 1)
}

func randomInputs(t *testing.T, rng *rand.Rand, n int) []*ir.Tensor {
	x, y := make([]int32, n), make([]int32, n)
	for i := range n {
		x[i], y[i] = int32(rng.IntN(20)-10), int32(rng.IntN(2000)-1000)
	}
	return []*ir.Tensor{i32(t, ir.Shape{n}, x...), i32(t, ir.Shape{n}, y...), ints(t, int64(rng.IntN(4)))}
}

// checkInfer compares one inference with the interpreter. If strict is set, it must fail if the
// interpreter fails. It returns 1 if the inference succeeded, else 0.
func checkInfer(t *testing.T, rng *rand.Rand, g *testGraph, request *InferRequest, inputs []*ir.Tensor, strict bool) (ran int) {
	want, wantErr := interpret(g, inputs)
	for i, input := range inputs {
		require.NoError(t, request.SetInput(i, input))
	}
	own := rng.IntN(len(g.Results))
	for i := range g.Results {
		require.NoError(t, request.SetOutput(i, nil))
	}
	if wantErr == nil && rng.IntN(2) == 0 {
		elementType := request.compiled.outputs[own].Type
		tensor, err := ir.NewTensor(elementType, want[own].shape...)
		require.NoError(t, err)
		require.NoError(t, request.SetOutput(own, tensor))
	} else {
		own = -1
	}
	copies := make([]array, len(inputs))
	for i := range inputs {
		copies[i] = arrayOf(inputs[i])
	}
	err := request.Infer(background)
	if wantErr != nil {
		// A layer does not run, and cannot fail, if only the shape of its output is read and known.
		require.True(t, !strict || err != nil, "the interpreter refuses: %v", wantErr)
		return 0
	}
	require.NoError(t, err)
	if own >= 0 {
		require.Same(t, request.given[own], request.Output(own))
	}
	for i := range want {
		got := arrayOf(request.Output(i))
		require.Equal(t, fmt.Sprint(want[i]), fmt.Sprint(got), "output %d", i)
	}
	for i := range inputs {
		require.Equal(t, copies[i], arrayOf(inputs[i]), "the caller's input %d", i)
	}
	return 1
}
