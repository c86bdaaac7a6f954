package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/plugin"
)

// peaks are what kernels use of the processor, and what they can do at most with the threads of an
// inference.
type peaks struct {
	productPeaks
	GB float64 `json:"gb_s"` // read and written while memory beyond the caches is copied
}

// productPeaks are those of peaks that take no memory to measure.
type productPeaks struct {
	Threads int `json:"threads"`
	// Features are the instruction sets that kernels use, and Kernels is the kernel of matrix
	// products.
	Features []string `json:"features"`
	Kernels  string   `json:"kernels"`
	GFlops   float64  `json:"gflop_s"` // of a product of float32 matrices in the cache
	// BF16, F16 and Int8 are those of products of bf16, of f16 and of 8 bits; 0 if they are
	// computed in float32.
	BF16 float64 `json:"bf16_gflop_s,omitempty"`
	F16  float64 `json:"f16_gflop_s,omitempty"`
	Int8 float64 `json:"int8_gop_s,omitempty"`
}

// String describes the peaks in a line.
func (p *peaks) String() string {
	return fmt.Sprintf("%s, %.3g GB/s of memory copied, by %s", p.rates(), p.GB, count(p.Threads, "thread"))
}

// String describes the peaks in a line.
func (p *productPeaks) String() string { return p.rates() + ", by " + count(p.Threads, "thread") }

// rates describes the peaks without the threads.
func (p *productPeaks) rates() string {
	s := fmt.Sprintf("processor: %s; products by %s; at most %.3g GFLOP/s in f32", strings.Join(p.Features, " "), p.Kernels, p.GFlops)
	if p.BF16 > 0 {
		s += fmt.Sprintf(", %.3g GFLOP/s in bf16", p.BF16)
	}
	if p.F16 > 0 {
		s += fmt.Sprintf(", %.3g GFLOP/s in f16", p.F16)
	}
	if p.Int8 > 0 {
		s += fmt.Sprintf(", %.3g GOP/s in i8", p.Int8)
	}
	return s
}

// The sizes of what each part of a task does: a product, and the elements that are copied.
const (
	peakRows    = 120
	peakColumns = 96
	peakDepth   = 256
	peakCopy    = 1 << 18
)

// peakTime is how long each of these is repeated: the fastest counts.
const peakTime = 60 * time.Millisecond

// threadsOf returns the number of threads of an inference.
func threadsOf(options plugin.CompileOptions) int {
	return cmp.Or(options.InferenceNumThreads, cpu.FastThreads(runtime.GOMAXPROCS(0)))
}

// measureProducts measures the peaks of products with a number of threads.
func measureProducts(ctx context.Context, threads int) (*productPeaks, error) {
	pool := parallel.New(threads)
	defer pool.Close()
	info := version()
	p := &productPeaks{Threads: pool.Threads(), Features: info.Features, Kernels: info.Kernels}
	parts := pool.Threads() * 16
	for _, of := range []struct {
		fast  bool
		task  func() parallel.Task
		count int // products of an element
		rate  *float64
	}{
		{true, func() parallel.Task { return newPeakProduct(gemm.New(), parts, nil) }, 1, &p.GFlops},
		{gemm.HasPairs(false), func() parallel.Task { return newPeakProduct(gemm.NewPairs(false), parts, nil) }, 2, &p.BF16},
		{gemm.HasPairs(true), func() parallel.Task { return newPeakProduct(gemm.NewPairs(true), parts, nil) }, 2, &p.F16},
		{gemm.QuadsPay(), func() parallel.Task {
			return newPeakProduct(gemm.NewQuads(), parts, []gemm.Step{{Op: gemm.ScaleRows, Values: make([]float32, peakRows)}})
		}, gemm.QuadSize(), &p.Int8},
	} {
		if !of.fast {
			continue
		}
		took, err := fastest(ctx, pool, parts, of.task())
		if err != nil {
			return nil, err
		}
		*of.rate = rate(2*peakRows*peakColumns*peakDepth*float64(of.count*parts), took)
	}
	return p, nil
}

// measurePeaks measures all peaks. It takes 128 MiB of memory.
func measurePeaks(ctx context.Context, threads int) (*peaks, error) {
	products, err := measureProducts(ctx, threads)
	if err != nil {
		return nil, err
	}
	pool := parallel.New(threads)
	defer pool.Close()
	parts := 64 * (1 + pool.Threads()/8)
	copies := &peakCopies{make([]float32, parts*peakCopy), make([]float32, parts*peakCopy)}
	for i := range copies.src { // pages that were never written are all the same one, in the cache
		copies.src[i] = 1
	}
	took, err := fastest(ctx, pool, parts, copies)
	if err != nil {
		return nil, err
	}
	return &peaks{*products, rate(2*4*peakCopy*float64(parts), took)}, nil
}

// fastest returns the shortest time of a task in microseconds. The first is not counted: the system
// provides memory when it is first used.
func fastest(ctx context.Context, pool *parallel.Pool, parts int, task parallel.Task) (float64, error) {
	if err := pool.For(parts, 1, task); err != nil {
		return 0, err
	}
	least := 0.0
	for begun := time.Now(); least == 0 || time.Since(begun) < peakTime; {
		started := time.Now()
		if err := pool.For(parts, 1, task); err != nil {
			return 0, err
		}
		if took := microseconds(time.Since(started)); least == 0 || took < least {
			least = max(took, 0.001)
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	return least, nil
}

// peakProduct multiplies packed matrices that stay in the cache.
type peakProduct[E ~float32] struct {
	kernel *gemm.Kernel[E, float32]
	steps  []gemm.Step
	a, b   []E
	c      [][]float32 // of each part
}

func newPeakProduct[E ~float32](k *gemm.Kernel[E, float32], parts int, steps []gemm.Step) *peakProduct[E] {
	p := &peakProduct[E]{kernel: k, steps: steps}
	p.a, p.b = make([]E, k.PackedLenA(peakRows, peakDepth)), make([]E, k.PackedLenB(peakColumns, peakDepth))
	for range parts {
		p.c = append(p.c, make([]float32, peakRows*peakColumns))
	}
	return p
}

// Do implements parallel.Task.
func (p *peakProduct[E]) Do(_, lo, hi int) error {
	for i := lo; i < hi; i++ {
		p.kernel.Multiply(&gemm.Product[E, float32]{
			C: p.c[i], LDC: peakColumns, A: p.a, B: p.b, Depth: peakDepth, MHi: peakRows, NHi: peakColumns, Steps: p.steps,
		})
	}
	return nil
}

// peakCopies copies memory.
type peakCopies struct{ dst, src []float32 }

// Do implements parallel.Task.
func (c *peakCopies) Do(_, lo, hi int) error {
	copy(c.dst[lo*peakCopy:hi*peakCopy], c.src[lo*peakCopy:])
	return nil
}
