//go:build amd64 && !noasm

package lowbit

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pkg lowbit && cd .. && go run ../vex kernel_amd64.s"

// bestISA returns the best instruction set of this machine. Those with FMA have the conversion of
// f16.
func bestISA() isa {
	switch {
	case cpu.AVX512.Available():
		return avx512
	case cpu.FMA.Available():
		return avx2
	}
	return portable
}

// tiling returns how many columns a call of the assembly multiplies, and whether it does so for one
// row only.
func (m *Matrix) tiling(rows int) (columns int, single bool) {
	if m.isa == avx2 {
		return Columns / 2, rows == 1 || m.Table != nil
	}
	return Columns, rows == 1
}

// addRow calls the assembly that multiplies a row.
func (m *Matrix) addRow(p *byte) {
	switch {
	case m.isa == avx512 && m.Float != Integer:
		rowsAVX512Floats_1(p)
	case m.isa == avx512 && m.Bits == 8:
		rowsAVX512Bytes_1(p)
	case m.isa == avx512:
		rowsAVX512Table_1(p)
	case m.Float != Integer:
		rowsAVX2Floats_1(p)
	case m.Bits == 8:
		rowsAVX2Bytes_1(p)
	case m.Table != nil:
		rowsAVX2Table_1(p)
	default:
		rowsAVX2Nibbles_1(p)
	}
}

// addRows calls the assembly that multiplies MaxRows rows.
func (m *Matrix) addRows(p *byte, _ int) {
	switch {
	case m.isa == avx512 && m.Float != Integer:
		rowsAVX512Floats_4(p)
	case m.isa == avx512 && m.Bits == 8:
		rowsAVX512Bytes_4(p)
	case m.isa == avx512:
		rowsAVX512Table_4(p)
	case m.Float != Integer:
		rowsAVX2Floats_4(p)
	case m.Bits == 8:
		rowsAVX2Bytes_4(p)
	default:
		rowsAVX2Nibbles_4(p)
	}
}

// expandVectors is Expand by assembly. It returns false if there is none for the width.
func (m *Matrix) expandVectors(dst []float32, width, first, depth, lo, hi int) bool {
	if m.isa == avx512 && width != Columns || m.isa == avx2 && width != Columns/2 || m.isa == portable {
		return false
	}
	for at := lo; at < hi; at += width {
		panel := dst[(at-lo)*depth:][:(depth+7)*width]
		g, whole := first/m.length, depth/m.length
		if whole > 0 {
			j := m.newJob(at/Columns, at%Columns, g, whole)
			j.out, j.stepOut = &panel[0], 4*m.length*width
			m.expand(&j)
		}
		if rest := depth - whole*m.length; rest > 0 {
			j := m.newJob(at/Columns, at%Columns, g+whole, 1)
			j.out, j.octets = &panel[whole*m.length*width], octetsOf(rest)
			m.expand(&j)
		}
	}
	return true
}

// expand calls the assembly that writes a panel.
func (m *Matrix) expand(j *job) {
	p := (*byte)(unsafe.Pointer(j))
	switch {
	case m.isa == avx512 && m.Float != Integer:
		expandAVX512Floats(p)
	case m.isa == avx512 && m.Bits == 8:
		expandAVX512Bytes(p)
	case m.isa == avx512:
		expandAVX512Table(p)
	case m.Float != Integer:
		expandAVX2Floats(p)
	case m.Bits == 8:
		expandAVX2Bytes(p)
	case m.Table != nil:
		expandAVX2Table(p)
	default:
		expandAVX2Nibbles(p)
	}
}
