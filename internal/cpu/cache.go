package cpu

// The sizes of the caches where the machine does not tell.
const (
	usualL1D = 32 << 10
	usualL2  = 1 << 20
)

// L1D and L2 are the bytes of a core's first-level data cache and of its
// second-level cache, by which kernels choose how much they work on at a time.
var L1D, L2 = caches()
