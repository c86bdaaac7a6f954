//go:build !noasm

package lowbit

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// bestISA returns the best instruction set of this machine.
func bestISA() isa {
	if cpu.NEON.Available() {
		return neon
	}
	return portable
}

// tiling returns how many columns a call of the assembly multiplies, and whether it does so for one
// row only.
func (m *Matrix) tiling(rows int) (columns int, single bool) {
	switch {
	case rows == 1 || m.Table != nil:
		return Columns, true
	case rows == 2:
		return Columns / 2, false
	}
	return Columns / 4, false
}

// addRow calls the assembly that multiplies a row.
func (m *Matrix) addRow(p *byte) {
	switch {
	case m.Float != Integer:
		rowsNEONFloats_1(p)
	case m.Bits == 8:
		rowsNEONBytes_1(p)
	case m.Table != nil:
		rowsNEONTable_1(p)
	default:
		rowsNEONNibbles_1(p)
	}
}

// addRows calls the assembly that multiplies two rows, or MaxRows.
func (m *Matrix) addRows(p *byte, rows int) {
	switch {
	case m.Float != Integer && rows == 2:
		rowsNEONFloats_2(p)
	case m.Float != Integer:
		rowsNEONFloats_4(p)
	case m.Bits == 8 && rows == 2:
		rowsNEONBytes_2(p)
	case m.Bits == 8:
		rowsNEONBytes_4(p)
	case rows == 2:
		rowsNEONNibbles_2(p)
	default:
		rowsNEONNibbles_4(p)
	}
}

// The columns of a panel of package gemm, and of a vector.
const panelColumns, vectorColumns = 12, 4

// expandVectors is Expand by assembly. It returns false if there is none for the width.
func (m *Matrix) expandVectors(dst []float32, width, first, depth, lo, hi int) bool {
	if m.isa == portable || width != panelColumns {
		return false
	}
	for at := lo; at < hi; at += width {
		panel := dst[(at-lo)*depth:][:(depth+7)*width]
		for i := 0; i < width; i += vectorColumns {
			if column := at + i; column < m.blocks*Columns {
				m.expandColumns(panel[i:], first, depth, column)
			} else {
				for k := range depth {
					clear(panel[k*width+i:][:vectorColumns])
				}
			}
		}
	}
	return true
}

// expandColumns writes vectorColumns columns of a panel.
func (m *Matrix) expandColumns(panel []float32, first, depth, column int) {
	g, whole := first/m.length, depth/m.length
	if whole > 0 {
		j := m.newJob(column/Columns, column%Columns, g, whole)
		j.out, j.stepOut = &panel[0], 4*m.length*panelColumns
		m.expand(&j)
	}
	if rest := depth - whole*m.length; rest > 0 {
		j := m.newJob(column/Columns, column%Columns, g+whole, 1)
		j.out, j.octets = &panel[whole*m.length*panelColumns], octetsOf(rest)
		m.expand(&j)
	}
}

// expand calls the assembly that writes columns of a panel.
func (m *Matrix) expand(j *job) {
	p := (*byte)(unsafe.Pointer(j))
	switch {
	case m.Float != Integer:
		expandNEONFloats(p)
	case m.Bits == 8:
		expandNEONBytes(p)
	case m.Table != nil:
		expandNEONTable(p)
	default:
		expandNEONNibbles(p)
	}
}
