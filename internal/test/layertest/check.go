package layertest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Result is the result of one run of a layer.
type Result struct {
	// Layer describes the layer and the run, for messages.
	Layer  string
	Output *ir.Tensor
	Err    error
}

// CheckRuns runs a layer in every way that a plan may run it, and calls check with each
// result: on 1, 2 and 3 threads, with the output in memory of its own, and in the memory of
// each input in op.Memory.InPlace that has the output's type and shape. It fails if a run
// changes an input whose memory the output does not take over, or if the elements of the output in
// place have other bits.
func CheckRuns(t testing.TB, op *ops.Op, attributes Attributes, inputs []*ir.Tensor, check func(r Result)) {
	t.Helper()
	layer, before := describe(op, attributes, inputs), make([]*ir.Tensor, len(inputs))
	for i, tensor := range inputs {
		before[i] = clone(t, tensor)
	}
	runOn := func(threads, inPlace int) (*ir.Tensor, error) {
		name := fmt.Sprintf("%s, threads=%d", layer, threads)
		if inPlace >= 0 {
			name += fmt.Sprintf(", in place of input %d", inPlace)
		}
		out, err := run(op, attributes, threads, inPlace, inputs)
		check(Result{name, out, err})
		for i, tensor := range inputs {
			if i != inPlace && !equalElements(before[i], tensor) {
				t.Fatalf("%s: input %d has changed", name, i)
			}
		}
		return out, err
	}
	for threads := 1; threads <= 3; threads++ {
		out, err := runOn(threads, -1)
		for _, i := range op.Memory.InPlace {
			if out == nil || i >= len(inputs) || inputs[i].ElementType() != out.ElementType() || !slices.Equal(inputs[i].Shape(), out.Shape()) {
				continue
			}
			if same, _ := runOn(threads, i); err == nil && !equalElements(out, same) {
				t.Fatalf("%s, threads=%d: the output differs in place of input %d", layer, threads, i)
			}
			inputs[i].CopyFrom(before[i])
		}
	}
}

// clone returns a copy of a tensor in memory of its own.
func clone(t testing.TB, tensor *ir.Tensor) *ir.Tensor {
	t.Helper()
	c, err := tensor.Clone()
	require.NoError(t, err)
	return c
}

// equalElements compares the bits of the elements of two tensors, without those after the last
// element.
func equalElements(a, b *ir.Tensor) bool {
	same := slices.Equal(a.Bytes(), b.Bytes()) && slices.Equal(a.Strings(), b.Strings())
	if !same && a.ElementType().Size() == 0 {
		return slices.Equal(Elements(a), Elements(b))
	}
	return same
}

// describe returns the layer type, the attributes, and the types and shapes of the inputs.
// Small tensors of integers, such as axes, are written with their values.
func describe(op *ops.Op, attributes Attributes, inputs []*ir.Tensor) string {
	text := op.String()
	if len(attributes) > 0 {
		text += fmt.Sprintf(" %q", attributes)
	}
	for _, tensor := range inputs {
		text += fmt.Sprintf(" %v%v", tensor.ElementType(), tensor.Shape())
		if tensor.Len() > 8 {
			continue
		}
		if values, err := tensor.Ints(); err == nil {
			text += fmt.Sprint("=", values)
		}
	}
	return text
}

// CheckNear compares the output of a layer with a shape and with numbers, within a
// tolerance, in every way of CheckRuns.
func CheckNear(t testing.TB, op *ops.Op, attributes Attributes, shape ir.Shape, want []float64, tolerance float64, inputs ...*ir.Tensor) {
	t.Helper()
	CheckRuns(t, op, attributes, inputs, func(r Result) {
		t.Helper()
		require.NoError(t, r.Err, r.Layer)
		require.True(t, slices.Equal(shape, r.Output.Shape()), "%s: output %v, want %v", r.Layer, r.Output.Shape(), shape)
		Near(t, want, r.Output, tolerance, "%s:", r.Layer)
	})
}

// CheckElements compares the output of a layer with a shape and with elements as Element
// returns them, bit by bit, in every way of CheckRuns.
func CheckElements(t testing.TB, op *ops.Op, attributes Attributes, shape ir.Shape, want []string, inputs ...*ir.Tensor) {
	t.Helper()
	CheckRuns(t, op, attributes, inputs, func(r Result) {
		t.Helper()
		require.NoError(t, r.Err, r.Layer)
		require.True(t, slices.Equal(shape, r.Output.Shape()), "%s: output %v, want %v", r.Layer, r.Output.Shape(), shape)
		require.Equal(t, len(want), r.Output.Len(), r.Layer)
		for i := range want {
			if got := Element(r.Output, i); got != want[i] {
				t.Fatalf("%s: element %d is %q, want %q", r.Layer, i, got, want[i])
			}
		}
	})
}

// CheckSeeds calls check with the seeds 0 to n-1: with all instruction sets of the machine,
// with AVX2 at most, and with none.
func CheckSeeds(t *testing.T, n uint64, check func(t *testing.T, seed uint64)) {
	wide := []*cpu.Feature{cpu.AMX, cpu.AVXVNNI, cpu.AVX512, cpu.AVX512VNNI, cpu.AVX512BF16, cpu.AVX512VPOPCNTDQ}
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, wide, cpu.Features()}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			for seed := range n {
				check(t, seed)
			}
		})
	}
}

// CheckAllocations runs a layer several times on one and on two threads, and checks that its kernel
// does not allocate.
func CheckAllocations(t testing.TB, op *ops.Op, attributes Attributes, inputs ...*ir.Tensor) {
	t.Helper()
	CheckAllocationsOf(t, op, attributes, 1, inputs...)
}

// CheckAllocationsOf is CheckAllocations for a layer with several outputs.
func CheckAllocationsOf(t testing.TB, op *ops.Op, attributes Attributes, outputs int, inputs ...*ir.Tensor) {
	t.Helper()
	for threads := 1; threads <= 2; threads++ {
		kernel, r, err := prepare(op, attributes, threads, outputs, inputs)
		require.NoError(t, err)
		allocations := testing.AllocsPerRun(10, func() { err = errors.Join(err, kernel(r)) })
		r.Pool.Close()
		require.NoError(t, err)
		require.Zero(t, allocations, "allocations of %v of %v with %d threads", op, inputs[0], threads)
	}
}
