package cpu

// The sizes of the caches in bytes if the processor does not report them.
const (
	defaultL1D = 32 << 10
	defaultL2  = 1 << 20
)

// L1D and L2 are the sizes in bytes of a core's first-level data cache and of its
// second-level cache. Kernels choose the sizes of their blocks by them.
var L1D, L2 = caches()
