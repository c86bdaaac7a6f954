//go:build amd64 && !noasm

package lowbit

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pkg lowbit"

// job is the argument of the assembly. _asm/kernel.go depends on its layout.
type job struct {
	codes                 *byte
	x, out                *float32
	scales, zeros         *byte
	table                 *float32
	groups, octets        int
	stepX, stepOut        int // bytes from one row of x to the next, from one group of out to the next
	stepScales, stepZeros int // bytes from one group to the next
	halves                uint64
	stepX2, stepX3        int // bytes from the first row of x to the third and the fourth
}

// The bits of job.halves: the factors are f16.
const (
	halfScales = 1 << iota
	halfZeros
)

// bestISA returns the best instruction set of this machine. Those with FMA have the conversion of f16.
func bestISA() isa {
	switch {
	case cpu.AVX512.Available():
		return avx512
	case cpu.FMA.Available():
		return avx2
	}
	return portable
}

// newJob returns the job for a number of groups of a block, from column `at` of the block on.
func (m *Matrix) newJob(block, at, first, count int) job {
	// The assembly does not check bounds.
	codes := m.Codes.data[block*m.blockBytes:][:m.blockBytes][first*m.octets*m.octetBytes:][:count*m.octets*m.octetBytes]
	skip := at * 4 // of the octet
	if m.Bits == 8 {
		skip = at
	}
	j := job{
		codes: &codes[skip], table: &integers[0], groups: count, octets: m.octets,
		scales: m.Scales.pointer(block, at, first, count), zeros: m.Zeros.pointer(block, at, first, count),
		stepScales: m.Scales.groupStep, stepZeros: m.Zeros.groupStep,
	}
	if m.Table != nil {
		j.table = &m.Table[0]
	}
	if m.Scales.half {
		j.halves |= halfScales
	}
	if m.Zeros.half {
		j.halves |= halfZeros
	}
	return j
}

// pointer returns the address of the factors of count groups, from column `at` of a block on.
func (f *Factors) pointer(block, at, first, count int) *byte {
	size := 4
	if f.half {
		size = 2
	}
	from := f.data[block*f.blockStep+first*f.groupStep:]
	_ = from[(count-1)*f.groupStep+Columns*size-1]
	return &from[at*size]
}

// addGroups adds the products of groups to sums.
func (m *Matrix) addGroups(sums *[MaxRows * Columns]float32, x []float32, ldx, rows, block, first, count int) {
	if m.isa == portable {
		m.addPortable(sums, x, ldx, rows, block, first, count)
		return
	}
	width := Columns
	if m.isa == avx2 {
		width = Columns / 2
	}
	from := x[first*m.octets*8:]
	_ = from[(rows-1)*ldx+count*m.octets*8-1]
	for at := 0; at < Columns; at += width {
		j := m.newJob(block, at, first, count)
		j.x, j.out = &from[0], &sums[at]
		if rows == 1 || m.isa == avx2 && m.Table != nil {
			for row := range rows {
				j.x, j.out = &from[row*ldx], &sums[row*Columns+at]
				m.addRow((*byte)(unsafe.Pointer(&j)))
			}
			continue
		}
		// Rows that x does not have are the last one again. Their sums are ignored.
		j.stepX, j.stepX2, j.stepX3 = 4*ldx, 4*ldx*min(rows-1, 2), 4*ldx*(rows-1)
		m.addRows((*byte)(unsafe.Pointer(&j)))
	}
}

// addRow calls the assembly that multiplies a row.
func (m *Matrix) addRow(p *byte) {
	switch {
	case m.isa == avx512 && m.Bits == 8:
		rowsAVX512Bytes_1(p)
	case m.isa == avx512:
		rowsAVX512Table_1(p)
	case m.Bits == 8:
		rowsAVX2Bytes_1(p)
	case m.Table != nil:
		rowsAVX2Table_1(p)
	default:
		rowsAVX2Nibbles_1(p)
	}
}

// addRows calls the assembly that multiplies MaxRows rows.
func (m *Matrix) addRows(p *byte) {
	switch {
	case m.isa == avx512 && m.Bits == 8:
		rowsAVX512Bytes_4(p)
	case m.isa == avx512:
		rowsAVX512Table_4(p)
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
	case m.isa == avx512 && m.Bits == 8:
		expandAVX512Bytes(p)
	case m.isa == avx512:
		expandAVX512Table(p)
	case m.Bits == 8:
		expandAVX2Bytes(p)
	case m.Table != nil:
		expandAVX2Table(p)
	default:
		expandAVX2Nibbles(p)
	}
}
