package gemm

import "github.com/vinoir/vinoir/internal/parallel"

// columnsAtOnce is the number of columns, a multiple of all kernels' NR, that are multiplied
// between two checks.
const columnsAtOnce = 1 << 14 / 96 * 96

// PackColumns packs all blocks of b, which has depth rows and n columns, to dst, which has
// PackedLenB elements. It ends early if stop is requested.
func (k *Kernel[E, C]) PackColumns(stop parallel.Stop, dst []E, b Matrix[E], depth, n int) {
	panels := k.PanelsB(n)
	for i := range k.Blocks(depth) {
		k.PackSomeB(stop, dst[i*k.KC*panels*k.NR:], b, n, depth, i, 0, panels)
	}
}

// MultiplyRows computes p for all blocks, the rows from 0 and all columns, p.LDC. It packs the rows
// of a block of a to p.A, which it overwrites. p.B has all blocks of b, as PackColumns packs them.
// It ends early if stop is requested.
func (k *Kernel[E, C]) MultiplyRows(stop parallel.Stop, a Matrix[E], p *Product[E, C]) {
	part := *p
	for part.Block = range k.Blocks(p.Depth) {
		k.PackA(p.A, a, p.MHi, p.Depth, part.Block, 0, k.PanelsA(p.MHi))
		part.B = p.B[part.Block*k.KC*k.PanelsB(p.LDC)*k.NR:]
		for lo := 0; lo < p.LDC; lo += columnsAtOnce {
			if stop.Requested() {
				return
			}
			part.NLo, part.NHi = lo, min(lo+columnsAtOnce, p.LDC)
			k.Multiply(&part)
		}
	}
}
