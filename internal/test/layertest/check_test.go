package layertest

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// recorder is a testing.TB that records the first failure.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failure = fmt.Sprintf(format, args...) }

func (r *recorder) FailNow() { runtime.Goexit() }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.FailNow()
}

// failure returns the message with which check fails, or "" if it does not.
func failure(t *testing.T, check func(t testing.TB)) string {
	r, done := &recorder{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return r.failure
}

// addOne returns a layer type that adds 1 to f32 elements, with the given kernel.
func addOne(kernel func(threads int, out, in []float32)) *ops.Op {
	return &ops.Op{
		Type: "AddOne", Version: 1, Inputs: ops.Exactly(1), Memory: ops.Memory{InPlace: []int{0}},
		Infer: func(in *ops.Inference) error {
			in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
			return nil
		},
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			return ops.Only(func(r *ops.Run) error {
				kernel(p.Threads, ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Inputs[0]))
				return nil
			}, nil)
		},
	}
}

func right(_ int, out, in []float32) {
	for i, v := range in {
		out[i] = v + 1
	}
}

// TestCheckNear_finds has a kernel for each mistake that the checks must find.
func TestCheckNear_finds(t *testing.T) {
	for name, c := range map[string]struct {
		kernel func(threads int, out, in []float32)
		want   string // in the message; "" for no failure
	}{
		"nothing": {right, ""},
		"wrong": {func(_ int, out, in []float32) {
			right(0, out, in)
			out[1] = 7
		}, "AddOne-1 f32[3], threads=1: element 1: 7, want 3"},
		"on threads": {func(threads int, out, in []float32) {
			if right(0, out, in); threads == 3 {
				out[0]++
			}
		}, "threads=3: element 0: 3, want 2"},
		"in place": {func(_ int, out, in []float32) {
			clear(out)
			for i, v := range in {
				out[i] += v + 1
			}
		}, "threads=1, in place of input 0: element 0: 1, want 2"},
		"rounded in place": {func(_ int, out, in []float32) {
			if right(0, out, in); &out[0] == &in[0] {
				out[0] = math.Nextafter32(out[0], 0)
			}
		}, "threads=1: the output differs in place of input 0"},
		"unset": {func(_ int, out, in []float32) { right(0, out[1:], in[1:]) }, "threads=1: element 0: "},
		"input": {func(_ int, out, in []float32) {
			right(0, out, in)
			in[2] = 9
		}, "threads=1: input 0 has changed"},
	} {
		op, data := addOne(c.kernel), Numbers(t, ir.F32, ir.Shape{3}, 1, 2, 3)
		got := failure(t, func(t testing.TB) { CheckNear(t, op, nil, ir.Shape{3}, []float64{2, 3, 4}, 1e-3, data) })
		if c.want == "" {
			assert.Empty(t, got, name)
		}
		assert.Contains(t, got, c.want, name)
	}
}

func TestCheckNear_tolerance(t *testing.T) {
	op, data := addOne(right), Numbers(t, ir.F32, ir.Shape{1}, 1)
	check := func(shape ir.Shape, want float64) string {
		return failure(t, func(t testing.TB) { CheckNear(t, op, nil, shape, []float64{want}, 0.5, data) })
	}
	assert.Empty(t, check(ir.Shape{1}, 2.5))
	assert.Contains(t, check(ir.Shape{1}, 2.75), "element 0: 2, want 2.75")
	assert.Contains(t, check(ir.Shape{1, 1}, 2), "output [1], want [1,1]")
}

func TestCheckElements_finds(t *testing.T) {
	op, data := addOne(right), Numbers(t, ir.F32, ir.Shape{2}, 1, 2)
	check := func(want ...float64) string {
		elements := Elements(Numbers(t, ir.F32, ir.Shape{2}, want...))
		return failure(t, func(t testing.TB) { CheckElements(t, op, nil, ir.Shape{2}, elements, data) })
	}
	assert.Empty(t, check(2, 3))
	assert.Contains(t, check(2, 4), "element 1 is ")
}

// TestCheckRuns_ways counts the runs and checks that each has the same inputs.
func TestCheckRuns_ways(t *testing.T) {
	op, data := addOne(right), Numbers(t, ir.F32, ir.Shape{2}, 1, 2)
	runs, inPlace := 0, 0
	CheckRuns(t, op, nil, []*ir.Tensor{data}, func(r Result) {
		assert.NoError(t, r.Err)
		assert.Equal(t, []float64{2, 3}, Floats(t, r.Output))
		if runs++; r.Output == data {
			inPlace++
		}
	})
	assert.Equal(t, []int{6, 3}, []int{runs, inPlace})
	assert.Equal(t, []float64{1, 2}, Floats(t, data))
}

func TestCheckSeeds(t *testing.T) {
	var seeds []uint64
	vectors := 0
	CheckSeeds(t, 2, func(_ *testing.T, seed uint64) {
		seeds = append(seeds, seed)
		if cpu.AVX2.Available() || cpu.NEON.Available() {
			vectors++
		}
	})
	assert.GreaterOrEqual(t, len(seeds), 2)
	assert.Equal(t, []uint64{0, 1}, seeds[len(seeds)-2:])
	if vectors > 0 {
		assert.Equal(t, 2, len(seeds)-vectors, "the last runs are portable")
	}
}

func TestNear(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		want, got float64
		near      bool
	}{
		{1, 1.5, true}, {1, 1.75, false}, {nan, nan, true}, {nan, 1, false}, {1, nan, false}, {inf, inf, true}, {inf, -inf, false}, {inf, 1, false},
	} {
		got := failure(t, func(tb testing.TB) {
			Near(tb, []float64{c.want}, Numbers(t, ir.F64, ir.Shape{1}, c.got), 0.5, "tensor")
		})
		assert.Equal(t, c.near, got == "", "%v is near %v", c.got, c.want)
	}
}
