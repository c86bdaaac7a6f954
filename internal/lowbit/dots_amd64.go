//go:build amd64 && !noasm

package lowbit

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/parallel"
)

func hasSpans() bool { return cpu.AVX512VNNI.Available() }

// spanJob is the argument of the assembly. _asm/dots.go depends on its layout.
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
		j := spanJob{
			codes: &codes[0], x: &x[g*m.octets*8], factors: (*float32)(unsafe.Pointer(&x[m.Padded()+4*spanFactors*g*spans])), out: &sums[0],
			scales: m.Scales.pointer(block, 0, g, count), zeros: m.Zeros.pointer(block, 0, g, count), groups: count, spans: spans,
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

// runSpans calls the assembly for a number of rows.
func (m *Matrix) runSpans(p *byte, rows int) {
	switch {
	case m.Bits == 8 && rows == 1:
		spansBytes_1(p)
	case m.Bits == 8 && rows == 2:
		spansBytes_2(p)
	case m.Bits == 8 && rows == 4:
		spansBytes_4(p)
	case m.Bits == 8:
		spansBytes_6(p)
	case rows == 1:
		spansNibbles_1(p)
	case rows == 2:
		spansNibbles_2(p)
	case rows == 4:
		spansNibbles_4(p)
	default:
		spansNibbles_6(p)
	}
}

// round rounds the elements of a group, x*inverse, and sets the factors of its spans.
func (l *Layout) round(codes []byte, factors []float32, x []float32, scale, inverse float32) {
	_, _ = x[len(codes)-1], factors[len(codes)/SpanRows*spanFactors-1] // the assembly does not check bounds
	order := &spanOrders[0]
	if l.Bits == 8 {
		order = &spanOrders[1]
	}
	roundSpans(&codes[0], &factors[0], &x[0], len(codes)/SpanRows, scale, inverse, &order[0])
}

// spanOrders are the orders of 16 rounded elements for codes of 4 and of 8 bits: quads of 4 bits are every second row of an octet.
var spanOrders = [2][16]byte{
	{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
}
