//go:build (amd64 || arm64) && !noasm

package lowbit

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/parallel"
)

// job is the argument of the assembly. _asm/kernel.go and _neon/gen.go depend on its layout.
type job struct {
	codes          *byte
	x, out         *float32
	scales, zeros  *byte
	table          *float32
	groups, octets int
	// bytes from one row of x to the next, from one group of out to the next
	stepX, stepOut        int
	stepScales, stepZeros int // bytes from one group to the next
	halves                uint64
	stepX2, stepX3        int // bytes from the first row of x to the third and the fourth
}

// The bits of job.halves: the factors are f16.
const (
	halfScales = 1 << iota
	halfZeros
)

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
	if m.Float != Integer {
		j.table = (*float32)(unsafe.Pointer(&floats[m.Float]))
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
	columns, single := m.tiling(rows)
	from := x[first*m.octets*8:]
	_ = from[(rows-1)*ldx+count*m.octets*8-1]
	for at := 0; at < Columns; at += columns {
		j := m.newJob(block, at, first, count)
		j.x, j.out = &from[0], &sums[at]
		if single {
			for row := range rows {
				j.x, j.out = &from[row*ldx], &sums[row*Columns+at]
				m.addRow((*byte)(unsafe.Pointer(&j)))
			}
			continue
		}
		// Rows that x does not have are the last one again. Their sums are ignored.
		j.stepX, j.stepX2, j.stepX3 = 4*ldx, 4*ldx*min(rows-1, 2), 4*ldx*(rows-1)
		m.addRows((*byte)(unsafe.Pointer(&j)), rows)
	}
}

// spanJob is the argument of the assembly. _asm/dots.go and _neon/dots.go depend on its layout.
type spanJob struct {
	codes, x              *byte
	factors, out          *float32
	scales, zeros         *byte
	groups, spans         int // groups, and spans of each
	stepX                 int // bytes from one row of x to the next
	stepScales, stepZeros int // bytes from one group to the next
	halves                uint64
}

// addSpans adds the products of a tile of rows and a block.
func (m *Matrix) addSpans(stop parallel.Stop, sums *[maxSpanTile * Columns]float32, x []byte, stride, rows, block int) {
	spans := m.octets * 8 / SpanRows
	_ = x[(rows-1)*stride+m.SpansBytes()-1] // the assembly does not check bounds
	step := max(work/(m.octets*8*Columns*rows), 1)
	for g := 0; g < m.groups && !stop.Requested(); g += step {
		count := min(step, m.groups-g)
		codes := m.Codes.data[block*m.blockBytes:][:m.blockBytes][g*m.octets*m.octetBytes:][:count*m.octets*m.octetBytes]
		for at := 0; at < Columns; at += spanColumns(rows) {
			j := spanJob{
				codes: &codes[4*at], x: &x[g*m.octets*8], factors: (*float32)(unsafe.Pointer(&x[m.Padded()+4*spanFactors*g*spans])), out: &sums[at],
				scales: m.Scales.pointer(block, at, g, count), zeros: m.Zeros.pointer(block, at, g, count), groups: count, spans: spans,
				stepX: stride, stepScales: m.Scales.groupStep, stepZeros: m.Zeros.groupStep,
			}
			if m.Scales.half {
				j.halves |= halfScales
			}
			if m.Zeros.half {
				j.halves |= halfZeros
			}
			m.runSpans((*byte)(unsafe.Pointer(&j)), rows)
		}
	}
}

// round rounds groups of x, which consist of spans, and sets the factors of these.
func (l *Layout) round(codes []byte, factors, x []float32, group int) {
	if len(codes) == 0 {
		return
	}
	// the assembly does not check bounds
	_, _ = x[len(codes)-1], factors[len(codes)/SpanRows*spanFactors-1]
	order := &spanOrders[0]
	if l.Bits == 8 {
		order = &spanOrders[1]
	}
	roundGroups(codes, factors, x, group/SpanRows, &order[0])
}

// spanOrders are the orders of 16 rounded elements for codes of 4 and of 8 bits: quads of 4 bits
// are every second row of an octet.
var spanOrders = [2][16]byte{
	{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
}
