package implicit

import (
	"testing"
	"time"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
)

// square returns the geometry of a square image and a square filter.
func square(batch, groups, in, out, input, kernel, stride, pad int) *Geometry {
	g := &Geometry{Batch: batch, Groups: groups, In: in, Out: out}
	output := (input+2*pad-kernel)/stride + 1
	g.Axes[0] = conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
	g.Axes[1] = conv.Axis{Input: input, Output: output, Kernel: kernel, Stride: stride, Dilation: 1, PadBegin: pad}
	g.Axes[2] = g.Axes[1]
	return g
}

// cube returns the geometry of a volume and a filter of 3 by 3 by 3.
func cube(in, out, depth, side int) *Geometry {
	g := square(1, 1, in, out, side, 3, 1, 1)
	g.Axes[0] = conv.Axis{Input: depth, Output: depth, Kernel: 3, Stride: 1, Dilation: 1, PadBegin: 1}
	return g
}

// task is a parallel.Task that runs a step of a call.
type task struct {
	m    Product
	c    *Call
	step int
}

func (t *task) Do(worker, lo, hi int) error {
	t.m.Do(t.step, *t.c, worker, lo, hi)
	return nil
}

func (t *task) run(pool *parallel.Pool) {
	for t.step = range t.m.Steps() {
		_ = pool.ForWorkers(t.m.Items(t.step), 1, t.m.Workers(), t, nil)
	}
}

func BenchmarkImplicit(b *testing.B) {
	for _, c := range []struct {
		name string
		g    *Geometry
	}{
		{"first7x7s2", square(1, 1, 3, 64, 224, 7, 2, 3)},
		{"first3x3s2", square(1, 1, 3, 32, 224, 3, 2, 1)},
		{"3x3_64x56", square(1, 1, 64, 64, 56, 3, 1, 1)},
		{"3x3s2_64x56", square(1, 1, 64, 128, 56, 3, 2, 1)},
		{"3x3_256x14", square(1, 1, 256, 256, 14, 3, 1, 1)},
		{"3x3s2_256x14", square(1, 1, 256, 512, 14, 3, 2, 1)},
		{"3x3_512x7", square(1, 1, 512, 512, 7, 3, 1, 1)},
		{"3x3_16x128", square(1, 1, 16, 16, 128, 3, 1, 1)},
		{"1x1_16to96x112", square(1, 1, 16, 96, 112, 1, 1, 0)},
		{"1x1_96to24x56", square(1, 1, 96, 24, 56, 1, 1, 0)},
		{"1x1_128to16x55", square(1, 1, 128, 16, 55, 1, 1, 0)},
		{"1x1_64to384x14", square(1, 1, 64, 384, 14, 1, 1, 0)},
		{"1x1_384to64x14", square(1, 1, 384, 64, 14, 1, 1, 0)},
		{"1x1_160to960x7", square(1, 1, 160, 960, 7, 1, 1, 0)},
		{"1x1_960to160x7", square(1, 1, 960, 160, 7, 1, 1, 0)},
		{"1x1_512to1000x13", square(1, 1, 512, 1000, 13, 1, 1, 0)},
		{"1x1s2_128x28", square(1, 1, 128, 256, 28, 1, 2, 0)},
		{"patch16", square(1, 1, 3, 192, 224, 16, 16, 0)},
		{"groups32x4_56", square(1, 32, 4, 4, 56, 3, 1, 1)},
		{"3d_64x8x28", cube(64, 64, 8, 28)},
		{"batch8_1x1_160to960x7", square(8, 1, 160, 960, 7, 1, 1, 0)},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(c.name+"/threads="+string(rune('0'+threads)), func(b *testing.B) {
				g := c.g
				pool := parallel.New(threads)
				defer pool.Close()
				m := New(nil, g, gemm.New().Lanes(), threads, true)
				in, out := 1, 1
				for i := range g.Axes {
					in, out = in*g.Axes[i].Input, out*g.Axes[i].Output
				}
				in, out = in*g.Batch*g.Groups*g.In, out*g.Batch*g.Groups*g.Out
				filters := make([]float32, g.Groups*g.Out*m.products[0].depth)
				for i := range filters {
					filters[i] = 1
				}
				call := &Call{In: make([]gemm.Lane, in), Out: make([]float32, out), Filters: m.PackFilters(nil, cast.Slice[gemm.Lane](filters)), Scratch: make([]byte, m.ScratchBytes()), Epilogue: &conv.Epilogue{}}
				t := &task{m: m, c: call}
				least := time.Hour // the minimum, because other programs may use the machine too
				for b.Loop() {
					start := time.Now()
					t.run(pool)
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least.Nanoseconds()), "least-ns/op")
				b.ReportMetric(2*float64(out)*float64(m.products[0].depth)/float64(least.Nanoseconds()), "GFLOP/s")
			})
		}
	}
}
