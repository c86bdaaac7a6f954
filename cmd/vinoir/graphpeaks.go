package main

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/plugin"
)

// peaks are what the machine can do at most with the threads of a profile.
type peaks struct {
	Threads int     `json:"threads"`
	GFlops  float64 `json:"gflop_s"` // of a product of float32 matrices in the cache
	GB      float64 `json:"gb_s"`    // read and written while memory beyond the caches is copied
}

// The sizes of what measurePeaks does in each part of a task: a product, and the elements that are copied.
const (
	peakRows    = 120
	peakColumns = 96
	peakDepth   = 256
	peakCopy    = 1 << 18
)

// peakTime is how long each of the two is repeated: the fastest counts.
const peakTime = 60 * time.Millisecond

// threadsOf returns the number of threads of an inference.
func threadsOf(options plugin.CompileOptions) int {
	return cmp.Or(options.InferenceNumThreads, runtime.GOMAXPROCS(0))
}

// measurePeaks measures the peaks with a number of threads.
func measurePeaks(ctx context.Context, threads int) (*peaks, error) {
	pool := parallel.New(threads)
	defer pool.Close()
	p := &peaks{Threads: pool.Threads()}
	products := newPeakProduct(pool.Threads() * 16)
	took, err := fastest(ctx, pool, products.parts, products)
	if err != nil {
		return nil, err
	}
	p.GFlops = rate(2*peakRows*peakColumns*peakDepth*float64(products.parts), took)
	parts := 64 * (1 + pool.Threads()/8)
	copies := &peakCopies{make([]float32, parts*peakCopy), make([]float32, parts*peakCopy)}
	if took, err = fastest(ctx, pool, parts, copies); err != nil {
		return nil, err
	}
	p.GB = rate(2*4*peakCopy*float64(parts), took)
	return p, nil
}

// fastest returns the shortest time of a task in microseconds. The first is not counted: the system provides memory
// when it is first used.
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
type peakProduct struct {
	kernel *gemm.Kernel[float32]
	a, b   []float32
	c      [][]float32 // of each part
	parts  int
}

func newPeakProduct(parts int) *peakProduct {
	k := gemm.New[float32]()
	p := &peakProduct{kernel: k, parts: parts}
	p.a, p.b = make([]float32, k.PackedLenA(peakRows, peakDepth)), make([]float32, k.PackedLenB(peakColumns, peakDepth))
	for range parts {
		p.c = append(p.c, make([]float32, peakRows*peakColumns))
	}
	return p
}

// Do implements parallel.Task.
func (p *peakProduct) Do(lo, hi int) error {
	for i := lo; i < hi; i++ {
		p.kernel.Multiply(p.c[i], peakColumns, p.a, p.b, peakDepth, 0, 0, peakRows, 0, peakColumns)
	}
	return nil
}

// peakCopies copies memory.
type peakCopies struct{ dst, src []float32 }

// Do implements parallel.Task.
func (c *peakCopies) Do(lo, hi int) error {
	copy(c.dst[lo*peakCopy:hi*peakCopy], c.src[lo*peakCopy:])
	return nil
}
