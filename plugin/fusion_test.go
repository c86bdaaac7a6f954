package plugin

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// fusingOps are layer types of f32 that can be fused:
//
//	Turn    the elements from last to first, not in place
//	Plus    input 0 + input 1 of equal shapes, in place of one input
//	Double  2*input, in place
var fusingOps = []ops.Op{
	{Type: "Turn", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput, Fusion: ops.Fusion{Applies: true}, Prepare: prepareTurn},
	{
		Type: "Plus", Version: 1, Inputs: ops.Exactly(2), Memory: ops.Memory{InPlace: []int{0, 1}}, Infer: likeInput, Fusion: ops.Fusion{Applies: true, Stage: plusStage},
		Prepare: preparePlus,
	},
	{
		Type: "Double", Version: 1, Inputs: ops.Exactly(1), Memory: ops.Memory{InPlace: []int{0}}, Infer: likeInput, Fusion: ops.Fusion{Applies: true, Stage: doubleStage},
		Prepare: prepareDouble,
	},
}

// finishInPieces applies finish to out in pieces of three elements. A nil finish does nothing.
func finishInPieces(r *ops.Run, out []float32, finish func(*ops.Run, []float32, int)) {
	for i := 0; i < len(out) && finish != nil; i += 3 {
		finish(r, out[i:min(i+3, len(out))], i)
	}
}

func prepareTurn(p *ops.Preparation) (*ops.Prepared, error) {
	finish := p.Finish()
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		in, out := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Outputs[0])
		for i, v := range in {
			out[len(out)-1-i] = v
		}
		finishInPieces(r, out, finish)
		return nil
	}}, nil
}

func preparePlus(p *ops.Preparation) (*ops.Prepared, error) {
	finish := p.Finish()
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		a, b, out := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Inputs[1]), ir.Data[float32](r.Outputs[0])
		for i := range out {
			out[i] = a[i] + b[i]
		}
		finishInPieces(r, out, finish)
		return nil
	}}, nil
}

func plusStage(p *ops.Preparation, through int) (*ops.Stage, error) {
	other := p.Operands[1-through]
	return &ops.Stage{Apply: func(r *ops.Run, x []float32, at int) {
		for i, v := range ir.Data[float32](r.Inputs[other])[at:][:len(x)] {
			x[i] += v
		}
	}}, nil
}

func prepareDouble(p *ops.Preparation) (*ops.Prepared, error) {
	finish := p.Finish()
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		out := ir.Data[float32](r.Outputs[0])
		for i, v := range ir.Data[float32](r.Inputs[0]) {
			out[i] = 2 * v
		}
		finishInPieces(r, out, finish)
		return nil
	}}, nil
}

func doubleStage(*ops.Preparation, int) (*ops.Stage, error) {
	return &ops.Stage{Apply: func(_ *ops.Run, x []float32, _ int) {
		for i := range x {
			x[i] *= 2
		}
	}}, nil
}

// fusingCore returns a Core with the layer types of testCore and fusingOps.
func fusingCore(t testing.TB) *Core {
	registry, err := NewRegistry(slices.Concat(testCore(t, Options{}).registry.Ops(), fusingOps)...)
	require.NoError(t, err)
	return NewCore(registry, Options{})
}

// fusions returns, for each step of p, the types of its layers, such as "Turn+Plus".
func fusions(p *plan.Plan) []string {
	var list []string
	for _, s := range p.Steps {
		types := s.Layer.Type
		for _, layer := range s.Fused {
			types += "+" + layer.Type
		}
		list = append(list, types)
	}
	return list
}

func TestFuse(t *testing.T) {
	six := func(g *testGraph) ir.Input { return g.constant(mustInts(2, 3)) }
	for name, c := range map[string]struct {
		build func(g *testGraph, x ir.Input)
		want  []string
	}{
		"a chain":    {func(g *testGraph, x ir.Input) { g.result(g.op("Double", g.op("Plus", g.op("Turn", x), x))) }, []string{"Turn+Plus+Double"}},
		"a branch":   {func(g *testGraph, x ir.Input) { y := g.op("Turn", x); g.result(g.op("Double", y)); g.result(y) }, []string{"Turn", "Double"}},
		"read twice": {func(g *testGraph, x ir.Input) { y := g.op("Turn", x); g.result(g.op("Plus", y, y)) }, []string{"Turn", "Plus"}},
		"two heads": {func(g *testGraph, x ir.Input) {
			g.result(g.op("Plus", g.op("Turn", x), g.op("Turn", g.op("Double", x))))
		}, []string{"Double", "Turn", "Turn+Plus"}},
		"through a view": {func(g *testGraph, x ir.Input) {
			g.result(g.op("Double", g.op("Reform", g.op("Turn", x), six(g))))
		}, []string{"Turn+Reform+Double"}},
		"a view at the end": {func(g *testGraph, x ir.Input) {
			g.result(g.op("Turn", g.op("Reform", g.op("Double", g.op("Turn", x)), six(g))))
		}, []string{"Turn+Double", "Turn"}},
		"a constant": {func(g *testGraph, x ir.Input) {
			one, err := ir.TensorOf(ir.F32, ir.Shape{6}, []float32{1, 2, 3, 4, 5, 6})
			if err != nil {
				panic(err)
			}
			g.result(g.op("Plus", g.op("Turn", g.constant(one)), x))
		}, []string{"Plus"}},
		"no stage": {func(g *testGraph, x ir.Input) { g.result(g.op("Turn", g.op("Turn", x))) }, []string{"Turn", "Turn"}},
	} {
		g := &testGraph{}
		c.build(g, g.parameter("x", "f32", "6"))
		compiled, err := fusingCore(t).CompileModel(background, &g.Model, CompileOptions{})
		require.NoError(t, err, name)
		steps := slices.DeleteFunc(fusions(compiled.program.Static), func(s string) bool { return s == "Result" })
		slices.Sort(steps)
		slices.Sort(c.want)
		assert.Equal(t, c.want, steps, name)
		compiled.Close()
	}
}

// TestFuseStore fuses layers with a conversion, whose output is not f32.
func TestFuseStore(t *testing.T) {
	for name, c := range map[string]struct {
		build func(n *network, x port) port
		want  string
	}{
		"an activation": {func(n *network, x port) port {
			return n.op(`Convert opset1 destination_type="u8"`, n.op("Relu", x))
		}, "Relu+Convert"},
		"a chain": {func(n *network, x port) port {
			y := n.op("Add", n.op("Multiply", x, n.scalar(3)), n.scalar(0.25))
			return n.op(`Convert opset1 destination_type="i8"`, n.op(`Clamp opset1 min="-100" max="100"`, y))
		}, "Multiply+Add+Clamp+Convert"},
		"nothing after it": {func(n *network, x port) port {
			y := n.op(`Convert opset1 destination_type="f16"`, n.op("Swish opset4", x))
			return n.op(`Reshape opset1 special_zero="true"`, y, n.ints(-1))
		}, "Swish+Convert"},
		"a kernel that cannot": {func(n *network, x port) port {
			return n.op(`Convert opset1 destination_type="u8"`, n.op(`Softmax opset1 axis="1"`, x))
		}, "Softmax Convert"},
		"no code for the type": {func(n *network, x port) port {
			return n.op(`Convert opset1 destination_type="i64"`, n.op("Relu", x))
		}, "Relu Convert"},
	} {
		for _, threads := range []int{1, 3} {
			n := &network{}
			n.result(c.build(n, n.input("7,5000")))
			registry, err := NewRegistry(builtin.Ops()...)
			require.NoError(t, err)
			x := make([]float32, 35000)
			rng := rand.New(rand.NewPCG(1, 1))
			for i := range x {
				x[i] = 60*rng.Float32() - 30
			}
			data, err := ir.TensorOf(ir.F32, ir.Shape{7, 5000}, x)
			require.NoError(t, err)
			run := func(disable ...Optimization) (*CompiledModel, *ir.Tensor) {
				compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{InferenceNumThreads: threads, Disable: disable})
				require.NoError(t, err)
				t.Cleanup(compiled.Close)
				return compiled, inferred(t, compiled.NewInferRequest(), data)
			}
			compiled, got := run(MergeAffine)
			_, want := run(Optimizations()...)
			assert.Equal(t, c.want, strings.Join(fusions(compiled.program.Static), " "), name)
			assert.Equal(t, want.ElementType(), got.ElementType())
			assert.Equal(t, want.Bytes(), got.Bytes(), name)
		}
	}
}

// TestFuseRandomGraphs checks that random graphs compute the same bits with and without
// optimizations, also in a second inference in the same memory.
func TestFuseRandomGraphs(t *testing.T) {
	fused := 0
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		shape := []string{"6", "?"}[seed%2]
		g := randomFusingGraph(rng, shape)
		x, y := randomFloats(rng), randomFloats(rng)
		want, _ := inferFusing(t, g, Optimizations(), x, y)
		got, n := inferFusing(t, g, nil, x, y)
		require.Equal(t, want, got, "seed %d", seed)
		fused += n
	}
	assert.Greater(t, fused, 500)
}

// randomFusingGraph returns a graph over two f32 inputs of the given shape.
func randomFusingGraph(rng *rand.Rand, shape string) *testGraph {
	g := &testGraph{}
	values := []ir.Input{g.parameter("x", "f32", shape), g.parameter("y", "f32", shape)}
	pick := func() ir.Input { return values[max(0, len(values)-1-rng.IntN(3))] }
	for range 2 + rng.IntN(12) {
		v := pick()
		switch rng.IntN(6) {
		case 0, 1:
			v = g.op("Turn", v)
		case 2:
			v = g.op("Double", v)
		case 3:
			v = g.op("Reform", v, g.op("ShapeOf", values[0]))
		default:
			v = g.op("Plus", v, pick())
		}
		values = append(values, v)
	}
	for range 1 + rng.IntN(2) {
		g.result(pick())
	}
	if err := edit.Sort(&g.Model); err != nil {
		panic(err)
	}
	return g
}

// randomFloats returns 6 numbers between -0.5 and 0.5.
func randomFloats(rng *rand.Rand) []float32 {
	x := make([]float32, 6)
	for i := range x {
		x[i] = rng.Float32() - 0.5
	}
	return x
}

// inferFusing returns the outputs of two inferences in the same memory, and the number of layers
// that were fused into others.
func inferFusing(t *testing.T, g *testGraph, disable []Optimization, inputs ...[]float32) (results [][]float32, fused int) {
	compiled, err := fusingCore(t).CompileModel(background, &g.Model, CompileOptions{Disable: disable, InferenceNumThreads: 1})
	require.NoError(t, err)
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for range 2 {
		for i, data := range inputs {
			tensor, err := ir.TensorOf(ir.F32, ir.Shape{6}, data)
			require.NoError(t, err)
			require.NoError(t, request.SetInput(i, tensor))
		}
		require.NoError(t, request.Infer(background))
		for i := range g.Results {
			results = append(results, slices.Clone(ir.Data[float32](request.Output(i))))
		}
	}
	for _, s := range request.main.Bound.Plan.Steps {
		fused += len(s.Fused)
	}
	return results, fused
}
