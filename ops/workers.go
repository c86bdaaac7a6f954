package ops

// forkWork is the cost of the work that is worth another thread: with less, waking the thread takes
// longer than it saves. The unit is about a nanosecond, the time of a simple operation on an
// element that vector instructions do not compute.
const forkWork = 1 << 14

// The costs of common items.
const (
	CopyCost     = 1.0 / 16 // of a byte that is copied
	MultiplyCost = 1.0 / 4  // of a multiplication and an addition in a product of matrices
	ConvertCost  = 1.0      // of an element that is converted between 16 and 32 bits
)

// Grain returns the number of items that are worth another thread, for Run.For, if an item has the
// given cost.
//
// It is not inlined: the code of the command would be 19 KiB larger.
//
//go:noinline
func Grain(cost float64) int {
	return max(int(forkWork/max(cost, CopyCost)), 1)
}

// Workers returns the number of workers that items of the given cost are divided among, so that
// each has enough to do for a thread of its own. It is at least 1 and at most Threads. This is for
// kernels whose workers have scratch memory, see AreasOf, or that divide their work themselves;
// others call Run.For with Grain.
//
// It is not inlined: the code of the command would be 5 KiB larger.
//
//go:noinline
func (p *Preparation) Workers(items int, cost float64) int {
	enough := int(min(float64(items)*cost/forkWork, float64(max(items, 0)), maxWorkers))
	return max(min(p.Threads, enough), 1)
}

// maxWorkers is more than any machine has threads.
const maxWorkers = 1 << 20
