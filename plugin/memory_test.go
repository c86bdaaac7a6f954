package plugin

import (
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/plan"
	"github.com/vinoir/vinoir/plugin/internal/run"
)

// coreWith returns a Core of the test layers and of op.
func coreWith(t *testing.T, options Options, op ...ops.Op) *Core {
	t.Helper()
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), op...)...)
	require.NoError(t, err)
	return NewCore(registry, options)
}

// tableOp is a layer type whose kernel keeps a table of 10 bytes for each element.
func tableOp(made *int) ops.Op {
	return ops.Op{Type: "Table", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			if err := p.Reserve(10 * p.Inputs[0].Shape.Elements().Min); err != nil {
				return nil, err
			}
			*made++
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
		}}
}

// TestTables runs a layer with tables in the model, and another in a body, for many shapes. The
// tables of all plans that requests keep are within MaxPlanBytes.
func TestTables(t *testing.T) {
	made := 0
	core := coreWith(t, Options{MaxPlanBytes: 100_000}, tableOp(&made))
	g := &testGraph{}
	x, cond := g.parameter("x", "i32", "?"), g.parameter("cond", "boolean", "")
	table := func(body *testGraph, x []ir.Input) ir.Input { return body.op("Table", x[0]) }
	g.result(g.choose(table, table, cond, g.op("Table", x)))
	compiled, err := core.CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	env := compiled.env
	infer := func(r *InferRequest, n int, cond bool) error {
		require.NoError(t, r.SetInput(0, ramp(t, n)))
		require.NoError(t, r.SetInput(1, boolean(t, cond)))
		return r.Infer(background)
	}
	request, other := compiled.NewInferRequest(), compiled.NewInferRequest()
	require.NoError(t, infer(request, 1000, true))
	assert.EqualValues(t, 20_001, env.Memory.Kept.Used(), "with the value of cond")
	require.NoError(t, infer(other, 1000, true))
	assert.Equal(t, 2, made, "both requests use the same plans")
	for n := 1001; n < 1020; n++ {
		require.NoError(t, infer(request, n, n%2 == 0))
		assert.LessOrEqual(t, env.Memory.Kept.Used(), int64(100_000))
	}
	held := int64(0)
	var count func(e *run.Execution)
	count = func(e *run.Execution) {
		for _, b := range e.Bounds {
			held += b.Plan.Used()
			assert.False(t, b.Plan.Evicted())
		}
		for _, bodies := range e.Bodies {
			for _, body := range bodies {
				count(body.(*run.Execution))
			}
		}
	}
	request.shared.DropEvicted(env)
	count(request.main)
	assert.LessOrEqual(t, held, env.Memory.Kept.Used(), "the request keeps what the model keeps")
	assert.NotZero(t, held)
	require.NoError(t, infer(other, 1000, true), "its plans were evicted")
	assert.Len(t, other.main.Bounds, 1)
	assert.False(t, other.main.Bound.Plan.Evicted())

	require.ErrorContains(t, infer(request, 10_001, true), `layer 2 "Table2" (Table, opset1): the kernels need tables of 100010 bytes and more, the limit for a plan is 100000 (MaxPlanBytes)`)
	require.ErrorContains(t, infer(request, 6000, true), "the plans of a layer and of its bodies need tables of 120001 bytes, the limit is 100000 (MaxPlanBytes)")
	require.NoError(t, infer(request, 2000, true), "the request can be used again")
	assert.LessOrEqual(t, env.Memory.Kept.Used(), int64(100_000))

	g = &testGraph{}
	g.result(g.op("Table", g.parameter("x", "i32", "10001")))
	_, err = core.CompileModel(background, &g.Model, CompileOptions{})
	assert.ErrorContains(t, err, "(MaxPlanBytes)")
	for _, options := range []CompileOptions{{}, {Disable: []Optimization{FoldConstants}}} {
		g = &testGraph{}
		g.result(g.op("Table", g.constant(ramp(t, 10001))))
		_, err = core.CompileModel(background, &g.Model, options)
		assert.ErrorContains(t, err, "(MaxPlanBytes)", "a constant input")
	}
}

// TestLateTables runs a layer that is prepared for the values of an input. The kernels of all
// layers together are within MaxPlanBytes.
func TestLateTables(t *testing.T) {
	made := 0
	op := tableOp(&made)
	op.Type, op.Values, op.Inputs = "Valued", []int{1}, ops.Exactly(2)
	op.Infer = func(in *infer.Inference) error { in.Outputs[0] = in.Inputs[0]; return nil }
	core := coreWith(t, Options{MaxPlanBytes: 100_000}, op)
	g := &testGraph{}
	x, v := g.parameter("x", "i32", "1000"), g.parameter("v", "i64", "?")
	g.result(g.op("Valued", g.op("Valued", x, v), v))
	compiled, err := core.CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request, kept := compiled.NewInferRequest(), compiled.env.Memory.Kept
	require.NoError(t, request.SetInput(0, ramp(t, 1000)))
	for i := range 30 {
		v := mustInts(int64(i))
		if i%3 == 0 {
			v = mustInts(make([]int64, 2000+i)...) // too large for a key
		}
		require.NoError(t, request.SetInput(1, v))
		require.NoError(t, request.Infer(background))
		assert.LessOrEqual(t, kept.Used(), int64(100_000))
	}
	assert.EqualValues(t, 8*(10_000+8), kept.Used(), "with copies of the values; kernels that are not cached are released")
	require.NoError(t, request.SetInput(1, mustInts(make([]int64, 12_000)...)))
	assert.ErrorContains(t, request.Infer(background), "(MaxPlanBytes)")
	assert.LessOrEqual(t, kept.Used(), int64(100_000))
}

// TestRequestMemory runs a model with shapes of all kinds: known before the run, found by a kernel,
// and in a body. No tensor of a request may refer to memory that the request has replaced.
func TestRequestMemory(t *testing.T) {
	core := coreWith(t, Options{}, ops.Op{
		Type: "Scratch", Version: 1, Inputs: ops.Exactly(2), Values: []int{1},
		Infer: func(in *infer.Inference) error { in.Outputs[0] = in.Inputs[0]; return nil },
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			n := int(p.Inputs[0].Shape.Elements().Min)
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }, ScratchBytes: 8 * n}, nil
		}})
	g := lateGraph()
	x := ir.Input{Source: g.Parameters[0]}
	g.result(g.op("Scratch", x, ir.Input{Source: g.Parameters[1]}))
	late := g.op("Positive", x)
	g.result(g.choose(twice, positive, g.parameter("cond", "boolean", ""), late))
	// a late view of the caller's tensor
	g.result(g.op("Sum", g.op("Reform", x, g.parameter("shape", "i64", "1")), x))
	g.result(g.op("Inc", x))
	for _, fixed := range []bool{true, false} { // each length has a plan, or one plan is for all
		compiled, err := core.CompileModel(background, &g.Model, CompileOptions{})
		require.NoError(t, err)
		if fixed {
			compiled.program.Close()
		}
		request := compiled.NewInferRequest()
		checkRequestMemory(t, g, request)
		if fixed {
			assert.Greater(t, len(request.main.Bounds), 5)
		} else {
			assert.Len(t, request.main.Bounds, 2)
		}
	}
}

// checkRequestMemory runs a request of TestRequestMemory.
func checkRequestMemory(t *testing.T, g *testGraph, request *InferRequest) {
	t.Helper()
	for i := range 40 {
		n := 10 * (1 + i%7) * (1 + i)
		require.NoError(t, request.SetInput(0, ramp(t, n)))
		require.NoError(t, request.SetInput(1, mustInts(2)))
		require.NoError(t, request.SetInput(2, boolean(t, i%3 > 0)))
		require.NoError(t, request.SetInput(3, mustInts(int64(n))))
		if i%5 == 0 {
			require.NoError(t, request.SetOutput(len(g.Results)-1, ramp(t, n)))
		} else {
			require.NoError(t, request.SetOutput(len(g.Results)-1, nil))
		}
		require.NoError(t, request.Infer(background), "%d elements", n)
		held := map[*byte]int{}
		referred(t, request.main, held, request)
		total := int64(0)
		for _, size := range held {
			total += int64(size)
		}
		assert.LessOrEqual(t, total, request.shared.Budget.Used(), "%d elements", n)
	}
}

// referred adds to held the memory of e and of its bodies, by address. It fails if a tensor refers
// to other memory, except to inputs and outputs of request in the bound that was used last. request
// is nil for a body.
func referred(t *testing.T, e *run.Execution, held map[*byte]int, request *InferRequest) {
	t.Helper()
	var own [][]byte
	own = append(own, e.Memory.Arena, e.Memory.Scratch)
	for _, s := range e.Memory.Slots {
		own = append(own, s.Bytes)
	}
	for _, b := range own {
		if len(b) > 0 {
			held[&b[0]] = len(b)
		}
	}
	given := own
	if request != nil {
		for _, t := range append(append([]*ir.Tensor(nil), request.inputs...), request.given...) {
			if t != nil {
				given = append(given, t.Bytes())
			}
		}
	}
	for i, b := range e.Bounds {
		allowed := own
		if b == e.Bound {
			allowed = given
		}
		for v, tensor := range b.Tensors {
			if b.Plan.Values[v].Kind == plan.OfModel || len(tensor.Bytes()) == 0 {
				continue
			}
			assert.True(t, partOf(tensor.Bytes(), allowed), "value %d of plan %d, body %v", v, i, request == nil)
		}
		for _, s := range b.Steps {
			if len(s.Run.Scratch) > 0 {
				assert.True(t, partOf(s.Run.Scratch, own))
			}
		}
	}
	for _, bodies := range e.Bodies {
		for _, body := range bodies {
			referred(t, body.(*run.Execution), held, nil)
		}
	}
}

// partOf reports whether b is a part of one of list.
func partOf(b []byte, list [][]byte) bool {
	at := uintptr(unsafe.Pointer(&b[0]))
	for _, l := range list {
		if len(l) == 0 {
			continue
		}
		if from := uintptr(unsafe.Pointer(&l[0])); at >= from && at+uintptr(len(b)) <= from+uintptr(len(l)) {
			return true
		}
	}
	return false
}

// TestUnalignedCopies reads constants at unaligned addresses that overlap. Each needs a copy,
// except those that share one.
func TestUnalignedCopies(t *testing.T) {
	bin := ir.AlignedBytes(1 << 20)
	model := func(n, step int) *testGraph {
		g := &testGraph{}
		shared, x := map[int]ir.Deferred{}, g.parameter("x", "i32", "100000")
		for i := range n {
			at := 1 + 4*step*i
			if shared[at] == nil {
				shared[at] = ir.UnalignedBytes(bin[at : at+400_000])
			}
			c, err := ir.DeferredTensor(ir.I32, ir.Shape{100_000}, shared[at])
			require.NoError(t, err)
			x = g.op("Sum", x, g.constant(c))
		}
		g.result(x)
		return g
	}
	for _, disable := range [][]Optimization{nil, Optimizations()} {
		options := CompileOptions{Disable: disable}
		core := testCore(t, Options{MaxTotalBytes: 2_000_000})
		compiled, err := core.CompileModel(background, &model(4, 1).Model, options)
		require.NoError(t, err)
		assert.EqualValues(t, 1_600_000, compiled.env.Memory.Kept.Used())
		_, err = core.CompileModel(background, &model(100, 1).Model, options)
		require.ErrorContains(t, err, "the model keeps 2000000 bytes in memory and needs 400000 more, together more than the limit of 2000000 (MaxKeptBytes)")
		_, err = core.CompileModel(background, &model(100, 0).Model, options)
		require.NoError(t, err, "they share one copy")
	}
}

// TestMaxKeptBytes states how much a model may keep.
func TestMaxKeptBytes(t *testing.T) {
	for _, options := range []Options{{MaxTotalBytes: 5000}, {MaxKeptBytes: 5000}, {MaxKeptBytes: 5000, MaxTotalBytes: 4000}} {
		compiled, err := testCore(t, options).CompileModel(background, &chain("4").Model, CompileOptions{})
		require.NoError(t, err)
		assert.EqualValues(t, 5000, compiled.env.Memory.Limits.MaxKeptBytes)
	}
}

// weighOp is a layer type that packs its constant input, in 300 bytes, and counts how often.
func weighOp(made *atomic.Int64) ops.Op {
	return ops.Op{
		Type: "Weigh", Version: 1, Inputs: ops.Exactly(2), Infer: likeInput,
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			_, err := p.Once(p.Inputs[1].Tensor, "weights", 300, func() (any, error) { return made.Add(1), nil })
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, err
		}}
}

// TestPackedWeights charges packed weights before they are made.
func TestPackedWeights(t *testing.T) {
	var made atomic.Int64 // steps are prepared side by side
	core := coreWith(t, Options{MaxTotalBytes: 1000}, weighOp(&made))
	g := &testGraph{}
	x := g.parameter("x", "i32", "3")
	for i := range int32(20) {
		g.result(g.op("Weigh", x, g.constant(i32(t, ir.Shape{3}, 1, 2, i))))
	}
	_, err := core.CompileModel(background, &g.Model, CompileOptions{InferenceNumThreads: 1})
	require.ErrorContains(t, err, "packed weights: the model keeps 900 bytes in memory and needs 300 more")
	assert.LessOrEqual(t, made.Load(), int64(3))
	assert.Equal(t, 1, strings.Count(err.Error(), "packed"))
}

// TestBorrow returns memory before more is reserved than the limit allows together.
func TestBorrow(t *testing.T) {
	for _, c := range []struct {
		returned bool
		want     string
	}{{true, ""}, {false, "the kernels need tables of 1200 bytes and more, the limit for a plan is 1000 (MaxPlanBytes)"}} {
		core := coreWith(t, Options{MaxPlanBytes: 1000}, ops.Op{
			Type: "Borrow", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
			Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
				release, err := p.Borrow(600)
				if err == nil {
					if c.returned {
						release()
					}
					err = p.Reserve(600)
				}
				return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, err
			}})
		g := &testGraph{}
		g.result(g.op("Borrow", g.parameter("x", "i32", "3")))
		compiled, err := core.CompileModel(background, &g.Model, CompileOptions{InferenceNumThreads: 1})
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		assert.GreaterOrEqual(t, compiled.env.Memory.Kept.Used(), int64(600))
		assert.Less(t, compiled.env.Memory.Kept.Used(), int64(1200))
	}
}

// TestUnaligned_asBytes has a kernel that reads its unaligned constant as bytes. It is not copied.
func TestUnaligned_asBytes(t *testing.T) {
	bin := ir.AlignedBytes(1 << 16)
	var read []byte
	core := coreWith(t, Options{}, ops.Op{
		Type: "Raw", Version: 1, Inputs: ops.Exactly(2), Infer: likeInput, Memory: ops.Memory{Unaligned: []int{1}},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				read = r.Inputs[1].Bytes()
				return nil
			}}, nil
		}})
	g := &testGraph{}
	c, err := ir.DeferredTensor(ir.I32, ir.Shape{10_000}, ir.UnalignedBytes(bin[1:40_001]))
	require.NoError(t, err)
	g.result(g.op("Raw", g.parameter("x", "i32", "10000"), g.constant(c)))
	compiled, err := core.CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	inferred(t, compiled.NewInferRequest(), ramp(t, 10_000))
	assert.Same(t, &bin[1], &read[0])
	assert.Zero(t, compiled.env.Memory.Kept.Used())
}

// TestPieces_bytes has elements of one byte. The pieces share the memory of the whole.
func TestPieces_bytes(t *testing.T) {
	n := &network{}
	y := n.op(`Convert opset1 destination_type="u8"`, n.input("4"))
	for _, half := range n.layer("Split", "opset1", `num_splits="2"`, 2, y, n.op(`Convert opset1 destination_type="i32"`, n.scalar(0))) {
		n.result(n.op(`Convert opset1 destination_type="f32"`, half))
	}
	compiled := compileNetwork(t, n)
	assert.NotContains(t, fusions(compiled.program.Static), "Split")
	request := compiled.NewInferRequest()
	inferred(t, request, f32(t, ir.Shape{4}, 1, 2, 3, 4))
	assert.Equal(t, []float32{3, 4}, ir.Data[float32](request.Output(1)))
}

// TestTables_dropped has a request that drops a plan that other requests have taken from the cache,
// although it goes on with another plan.
func TestTables_dropped(t *testing.T) {
	made := 0
	g := &testGraph{}
	g.result(g.op("Table", g.parameter("x", "i32", "?")))
	compiled, err := coreWith(t, Options{MaxPlanBytes: 35_000}, tableOp(&made)).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	request, other := compiled.NewInferRequest(), compiled.NewInferRequest()
	inferred(t, request, ramp(t, 1000))
	inferred(t, request, ramp(t, 1001))
	assert.Len(t, request.main.Bounds, 2)
	inferred(t, other, ramp(t, 1002))
	inferred(t, other, ramp(t, 1003))
	inferred(t, request, ramp(t, 1001))
	assert.Len(t, request.main.Bounds, 1)
	assert.Equal(t, 4, made)
}
