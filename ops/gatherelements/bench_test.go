package gatherelements

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// BenchmarkLayer has the shapes with which engines are compared: most are limited by memory,
// and a tiny one by the cost of a call.
func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		t, it         ir.ElementType
		data, indices []int
		axis          int64
	}{
		{ir.F32, ir.I32, []int{1000, 1000}, []int{1000, 1000}, 1},
		{ir.F32, ir.I32, []int{1000, 1000}, []int{1000, 1000}, 0},
		{ir.F32, ir.I32, []int{32, 400, 256}, []int{32, 100, 256}, 1},
		{ir.U8, ir.I32, []int{2000, 2000}, []int{2000, 2000}, 1},
		{ir.I64, ir.I64, []int{1000, 1000}, []int{1000, 1000}, 1},
		{ir.F32, ir.I32, []int{4000, 4000}, []int{4000, 4000}, 1},
		{ir.F32, ir.I32, []int{8, 16}, []int{4, 16}, 0},
		{ir.F16, ir.I64, []int{1000, 1000}, []int{1000, 1000}, 0},
		{ir.F32, ir.I64, []int{2000, 128}, []int{12000, 128}, 0},
		{ir.F32, ir.I64, []int{50000, 3}, []int{100000, 3}, 0},
		{ir.F32, ir.I64, []int{1000000}, []int{1000000}, 0},
	} {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%v%v/%v%v/axis%d/threads%d", c.t, ir.Shape(c.data), c.it, ir.Shape(c.indices), c.axis, threads), func(b *testing.B) {
				benchmarkLayer(b, c.t, c.it, c.data, c.indices, c.axis, threads)
			})
		}
	}
}

func benchmarkLayer(b *testing.B, t, it ir.ElementType, dataShape, indicesShape []int, axis int64, threads int) {
	r := rand.New(rand.NewPCG(7, 8))
	values := make([]int64, ir.Shape(indicesShape).Elements())
	for i := range values {
		values[i] = r.Int64N(int64(dataShape[axis]))
	}
	indices, err := ir.TensorOfInts(it, indicesShape, values)
	require.NoError(b, err)
	data := fill(b, t, dataShape)
	out, err := ir.NewTensor(t, indicesShape...)
	require.NoError(b, err)
	prepared, err := prepare(&ops.Preparation{
		Attributes: attributes{axis}, Threads: threads, Outputs: make([]ir.Fact, 1),
		Inputs: []ir.Fact{{Type: t, Shape: data.Shape().Partial()}, {Type: it, Shape: indices.Shape().Partial()}},
	})
	require.NoError(b, err)
	run := ops.Run{Inputs: []*ir.Tensor{data, indices}, Outputs: []*ir.Tensor{out}, Pool: parallel.New(threads)}
	b.SetBytes(int64(len(out.Bytes())))
	b.ReportAllocs()
	for b.Loop() {
		if err := prepared.Kernel(&run); err != nil {
			b.Fatal(err)
		}
	}
}
