package implicit

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Call holds the tensors and the memory of one run of a Plan.
type Call struct {
	In  []gemm.Lane
	Out []float32
	// the input in the place of In, if a plan of pairs packs that: see PacksInput
	Floats []float32
	// the result of PackFilters, or the filters themselves if they are not constant
	Filters []gemm.Lane
	// ScratchBytes bytes, aligned for float32; runs at the same time must not share it
	Scratch  []byte
	Epilogue *conv.Epilogue // not nil
	Stop     parallel.Stop  // ends Do early
	Quads    Quads          // for quads
}

// scratch returns n elements of the scratch memory from position at on.
func (c *Call) scratch(at, n int) []float32 { return cast.Bytes[float32](c.Scratch[4*at:])[:n] }

// Quads is what a convolution of quads needs besides.
type Quads struct {
	In      []uint8 // the input, if the plan packs that: see PacksInput
	Outside uint8   // a byte outside of the input: that of PackQuads
	// of each output channel, what is added to its sums: that of FilterStarts; not of a transposed
	// convolution
	Start []int32
	// of each output channel, what its sums are multiplied by before the bias is added
	Scale []float32
	// Sums is the result of PhaseSums for a transposed convolution, whose data is the bytes less
	// Zero. Its Epilogue must have a Bias.
	Sums []int32
	Zero uint8
	// Bytes is the output for Geometry.Stored: the results are rounded, halves to even, after they
	// were clamped to Epilogue.Lo and Hi, which are 0 to 255 or a part of that; or their levels, if
	// the Epilogue has Levels, which it must not where gemm.HasLevels is false, or for a transposed
	// convolution. It is nil if Epilogue.Store writes the output.
	Bytes []uint8
}

// Product is a plan that multiplies packed filters: a Plan or a Regions.
type Product interface {
	// Key returns a name for the layout of the packed filters. Plans with the same key pack the
	// same filters in the same way.
	Key() string
	// FiltersLen returns the number of elements of the packed filters.
	FiltersLen() int
	// PackFilters returns constant filters in the layout that Call.Filters needs. It ends early if
	// stop is requested.
	PackFilters(stop parallel.Stop, filters []gemm.Lane) []gemm.Lane
	// ScratchBytes returns the length of Call.Scratch in bytes.
	ScratchBytes() int
	// Steps returns the number of steps of a run. A step must be complete before the next one
	// begins.
	Steps() int
	// Workers returns the number of workers for which there is scratch memory.
	Workers() int
	// Items returns the number of work items of a step. They can run in parallel, and each is worth
	// a thread.
	Items(step int) int
	// Do runs items lo to hi-1 of a step. Two calls at the same time have different workers, which
	// are numbers below Workers.
	Do(step int, c Call, worker, lo, hi int)
}

// layout describes the scratch memory: a slot for each worker, and filters that are not constant.
// Positions and sizes are in elements.
type layout struct {
	threads int
	workers int
	slot    int // size of a slot, which starts with a band
	panel   int // where the panels of windows start in a slot
	bias    int // where the bias of each row of a product starts
	scale   int // where the scales of these rows start, for quads
	line    int // where a line of the output starts that Epilogue.Store reads
	result  int // where results start that are not written directly to the output
	bytes   int // where they start once they are bytes
	stride  int // elements from one row of these results to the next
	filters int // where packed filters start if they are not constant
	total   int
}

// maxMemory is the largest number of elements of the scratch memory. Only windows that are much
// larger than the input need more.
const maxMemory = 1 << 27

// takeSlots makes what l has taken a slot, and lays out the slots of the workers for n units.
func (y *layout) takeSlots(l *taker, n int) {
	y.slot, l.total = l.total, 0
	y.workers = max(min(y.threads, n), 1)
	l.take(y.slot, y.workers)
	y.total = l.total
}

// taker adds up scratch memory, in elements.
type taker struct {
	total int
	fits  bool // the sum is below maxMemory
}

// take adds n*of elements and returns their position.
func (l *taker) take(n, of int) (at int) {
	at = l.total
	if l.fits = l.fits && float64(l.total)+float64(n)*float64(of) < maxMemory; l.fits {
		l.total = memory.Padded[float32](l.total + n*of)
	}
	return at
}

// ScratchBytes implements Product.
func (y *layout) ScratchBytes() int { return 4 * y.total }

// Workers implements Product.
func (y *layout) Workers() int { return y.workers }
