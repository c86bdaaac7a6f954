package scatterelements

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// benchCase is a layer with random operands. The indices of a line are distinct unless repeats
// is set.
type benchCase struct {
	name           string
	element, index ir.ElementType
	data, indices  ir.Shape
	axis           int
	reduction      reduction
	exclude        bool // use_init_val is false
	repeats        bool
	axisInput      bool // axis is not constant
}

var benchCases = []benchCase{
	{name: "none_ax1_f32", element: ir.F32, index: ir.I32, data: ir.Shape{1000, 1000}, indices: ir.Shape{1000, 500}, axis: 1},
	{name: "none_ax0_f32", element: ir.F32, index: ir.I32, data: ir.Shape{1000, 1000}, indices: ir.Shape{500, 1000}},
	{name: "none_ax1_u8", element: ir.U8, index: ir.I32, data: ir.Shape{2000, 2000}, indices: ir.Shape{2000, 1000}, axis: 1},
	{name: "none_ax1_i64", element: ir.I64, index: ir.I64, data: ir.Shape{1000, 1000}, indices: ir.Shape{1000, 500}, axis: 1},
	{name: "none_3d_f32", element: ir.F32, index: ir.I32, data: ir.Shape{32, 400, 256}, indices: ir.Shape{32, 100, 256}, axis: 1},
	{name: "sum_graph_f32", element: ir.F32, index: ir.I32, data: ir.Shape{2000, 128}, indices: ir.Shape{12000, 128}, reduction: sum, repeats: true},
	{name: "sum_ax1_f32", element: ir.F32, index: ir.I32, data: ir.Shape{1000, 1000}, indices: ir.Shape{1000, 1000}, axis: 1, reduction: sum, repeats: true},
	{name: "max_graph_f32", element: ir.F32, index: ir.I32, data: ir.Shape{2000, 128}, indices: ir.Shape{12000, 128}, reduction: maximum, repeats: true},
	{name: "mean_graph_f32", element: ir.F32, index: ir.I32, data: ir.Shape{2000, 128}, indices: ir.Shape{12000, 128}, reduction: mean, repeats: true},
	{name: "prod_ax0_i32", element: ir.I32, index: ir.I32, data: ir.Shape{1000, 1000}, indices: ir.Shape{500, 1000}, reduction: prod, repeats: true},
	{name: "sum_f16", element: ir.F16, index: ir.I32, data: ir.Shape{1000, 1000}, indices: ir.Shape{1000, 1000}, axis: 1, reduction: sum, repeats: true},
	{name: "tiny_f32", element: ir.F32, index: ir.I32, data: ir.Shape{8, 16}, indices: ir.Shape{4, 16}, reduction: sum, repeats: true},
	{name: "sum_graph_excluded_f32", element: ir.F32, index: ir.I64, data: ir.Shape{2000, 128}, indices: ir.Shape{12000, 128}, reduction: sum, exclude: true, repeats: true},
	{name: "mean_ax1_i8", element: ir.I8, index: ir.I64, data: ir.Shape{1000, 1000}, indices: ir.Shape{1000, 1000}, axis: 1, reduction: mean, repeats: true},
	{name: "none_short_lines_f32", element: ir.F32, index: ir.I32, data: ir.Shape{100000, 8}, indices: ir.Shape{100000, 4}, axis: 1},
	{name: "none_few_rows_f32", element: ir.F32, index: ir.I32, data: ir.Shape{100000, 128}, indices: ir.Shape{8, 128}},
	{name: "sum_vector_f32", element: ir.F32, index: ir.I32, data: ir.Shape{1000000}, indices: ir.Shape{1000000}, reduction: sum, repeats: true},
}

func BenchmarkKernel(b *testing.B) {
	for _, c := range benchCases {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", c.name, threads), func(b *testing.B) {
				pool := parallel.New(threads)
				defer pool.Close()
				kernel, run := c.prepare(b, threads)
				run.Pool = pool
				b.ReportAllocs()
				shortest := time.Hour
				for b.Loop() {
					start := time.Now()
					if err := kernel(run); err != nil {
						b.Fatal(err)
					}
					shortest = min(shortest, time.Since(start))
				}
				b.ReportMetric(float64(shortest.Nanoseconds())/1e3, "min-µs")
			})
		}
	}
}

// prepare returns the kernel, and a run with random operands.
func (c *benchCase) prepare(tb testing.TB, threads int) (ops.Kernel, *ops.Run) {
	r := rand.New(rand.NewPCG(7, 7))
	tensor := func(t ir.ElementType, shape ir.Shape) *ir.Tensor {
		x, err := ir.NewTensor(t, shape...)
		require.NoError(tb, err)
		return x
	}
	data, out, updates := tensor(c.element, c.data), tensor(c.element, c.data), tensor(c.element, c.indices)
	for _, x := range []*ir.Tensor{data, updates} {
		bytes := x.Bytes()
		for i := range bytes {
			bytes[i] = uint8(r.Uint32())
		}
		switch c.element {
		case ir.F32:
			for i := range ir.Data[float32](x) {
				ir.Data[float32](x)[i] = r.Float32()
			}
		case ir.F16:
			for i := range ir.Data[uint16](x) {
				ir.Data[uint16](x)[i] &= 0x3fff
			}
		}
	}
	values := make([]int64, c.indices.Elements())
	inner := c.indices[c.axis+1:].Elements()
	n, d := c.indices[c.axis], c.data[c.axis]
	for i := range values {
		if i/inner%n != 0 {
			continue
		}
		perm := r.Perm(d)
		for k := range n {
			if c.repeats {
				values[i+k*inner] = int64(r.IntN(d))
			} else {
				values[i+k*inner] = int64(perm[k])
			}
		}
	}
	indices, err := ir.TensorOfInts(c.index, c.indices, values)
	require.NoError(tb, err)
	axis, err := ir.TensorOfInts(ir.I64, ir.Shape{}, []int64{int64(c.axis)})
	require.NoError(tb, err)
	p := &ops.Preparation{Attributes: attributes{c.reduction, !c.exclude}, Threads: threads}
	run := &ops.Run{Inputs: []*ir.Tensor{data, indices, updates, axis}, Outputs: []*ir.Tensor{out}}
	for _, x := range run.Inputs {
		p.Inputs = append(p.Inputs, ir.Fact{Type: x.ElementType(), Shape: x.Shape().Partial()})
	}
	if !c.axisInput {
		p.Inputs[axisInput].Tensor = axis
	}
	p.Outputs = []ir.Fact{{Type: c.element, Shape: c.data.Partial()}}
	prepared, err := prepare(p)
	require.NoError(tb, err)
	run.Scratch = ir.AlignedBytes(prepared.ScratchBytes)
	return prepared.Kernel, run
}
