package cpu

// defaultL2 is L2 if the processor does not report it.
const defaultL2 = 1 << 20

// L2 is the size in bytes of a core's second-level cache. Kernels choose the sizes of their blocks
// by it.
var L2 = secondLevel()
