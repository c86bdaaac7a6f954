//go:build amd64 && !noasm

package conv

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run ./pack -out ../pack_amd64.s -stubs ../pack_stubs_amd64.go -pkg conv"

// pickPack returns the function that packs panels of the kernel that package gemm
// picks.
func pickPack() func(panel, from []float32, rows []int, runs *panelRuns) {
	switch {
	case cpu.AVX512.Available():
		return packAVX512
	case cpu.FMA.Available():
		return packAVX2
	}
	return nil
}

func packAVX512(panel, from []float32, rows []int, p *panelRuns) {
	dst, src, row, run := &panel[0], &from[0], &rows[0], (*byte)(unsafe.Pointer(&p.runs))
	switch p.counts[0] {
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

func packAVX2(panel, from []float32, rows []int, p *panelRuns) {
	dst, src, row, run := &panel[0], &from[0], &rows[0], (*byte)(unsafe.Pointer(&p.runs))
	switch p.counts[0] {
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
