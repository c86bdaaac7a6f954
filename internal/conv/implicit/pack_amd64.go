//go:build amd64 && !noasm

package implicit

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../pack_amd64.s -stubs ../stubs_amd64.go -pkg implicit"

// packer selects the assembly that packs panels; 0 means that there is none. It is not a function
// value because the runs of a panel would then escape to the heap.
type packer uint8

const (
	byAVX512 packer = iota + 1
	byAVX2
)

// pickPack returns the packer for panels with a number of columns; 0 if there is none.
func pickPack(columns int) packer {
	switch {
	case columns == 32 && cpu.AVX512.Available():
		return byAVX512
	case columns == 16 && cpu.FMA.Available():
		return byAVX2
	}
	return 0
}

// pack packs a panel. Row i of the matrix starts at from[rows[i]].
func (k packer) pack(panel, from []float32, rows []int, p *panelRuns) {
	if k == byAVX512 {
		packAVX512(panel, from, rows, p)
	} else {
		packAVX2(panel, from, rows, p)
	}
}

// packAVX512 calls the function for the largest number of runs of a vector.
func packAVX512(panel, from []float32, rows []int, p *panelRuns) {
	dst, src, row, run := &panel[0], &from[0], &rows[0], (*byte)(unsafe.Pointer(&p.runs))
	switch max(p.counts[0], p.counts[1]) {
	case 1:
		pack1AVX512(dst, src, row, len(rows), run)
	case 2:
		pack2AVX512(dst, src, row, len(rows), run)
	case 3:
		pack3AVX512(dst, src, row, len(rows), run)
	default:
		packAnyAVX512(dst, src, row, len(rows), run, p.counts[0], p.counts[1])
	}
}

// packAVX2 calls the function for the largest number of runs of a vector.
func packAVX2(panel, from []float32, rows []int, p *panelRuns) {
	dst, src, row, run := &panel[0], &from[0], &rows[0], (*byte)(unsafe.Pointer(&p.runs))
	switch max(p.counts[0], p.counts[1]) {
	case 1:
		pack1AVX2(dst, src, row, len(rows), run)
	case 2:
		pack2AVX2(dst, src, row, len(rows), run)
	case 3:
		pack3AVX2(dst, src, row, len(rows), run)
	default:
		packAnyAVX2(dst, src, row, len(rows), run, p.counts[0], p.counts[1])
	}
}

// vectorRun returns false: there is no assembly for single runs.
func vectorRun(_, _ []float32, _ []int, _, _, _ int) bool { return false }
