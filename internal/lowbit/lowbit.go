// Package lowbit multiplies by a matrix b whose elements are stored in 4 or 8 bits, the weights of
// compressed models:
//
//	b[k,j] = (number of code[k,j] - zero[k/group,j]) * scale[k/group,j]
//
// The codes are never all in memory as numbers. A product with few rows decodes them in registers:
// it takes as long as reading the codes. For a product with many rows, Expand writes panels for
// package gemm, which stay in the cache.
//
// Columns are packed in blocks of 32. A vector of codes has one lane for each column, so that the
// factors of a group are vectors too, and nothing is added across the lanes of a vector.
//
// With AVX-512 VNNI or FEAT_DotProd, rows can be rounded to integers of 8 bits first (RoundRow,
// MultiplySpans), which is several times faster.
//
// There is assembly for amd64 with AVX-512 and with AVX2, and for arm64. Others, and the build tag
// noasm, have portable code.
package lowbit

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
)

//go:generate go run ./_neon -out kernel_arm64.s -stubs kernel_stubs_arm64.go -pkg lowbit

// Columns is the number of columns of a block.
const Columns = 32

// integers is the table of unsigned integers.
var integers = [16]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// MaxRows is the largest number of rows that Multiply computes at a time.
const MaxRows = 4

// Format describes codes.
type Format struct {
	// Bits is the size of a code: 4 or 8. Of two codes in a byte, the first is in the low bits.
	Bits int
	// Signed means that codes are signed integers. Pack adds Offset to them.
	Signed bool
	// Table has the numbers of codes of 4 bits. If it is nil, the codes are integers.
	Table *[16]float32
	// Float is the type of codes of 8 bits that are no integers.
	Float Float
	// Spans means that the codes are packed for MultiplySpans, and not for Multiply and Expand.
	// SpansOf must be true.
	Spans bool
}

// Float is a floating-point type of 8 bits.
type Float uint8

const (
	// Integer is no floating-point type.
	Integer Float = iota
	// F8E4M3 has 4 bits of exponent. Its NaN, the codes 0x7f and 0xff, are decoded as 480 and -480.
	F8E4M3
	// F8E5M2 is the high byte of an f16.
	F8E5M2
)

// floatBits is how the bits of an f16 are made of a code, extended by its sign: shifted to the
// left, of which the mask stays. The code in the high byte is shifted by right, a negative int16
// or 0. The assembly depends on the layout.
type floatBits struct{ shift, mask, right uint64 }

// floats has the bits of each Float. The f16 made of an f8e4m3 is 256 times smaller, since it has
// another offset of exponents: see Format.Factor.
var floats = [...]floatBits{F8E4M3: {7, 0xbfff, 0xffff}, F8E5M2: {8, 0xffff, 0}}

// number returns the number of a code.
func (f *Format) number(code uint8) float32 {
	if f.Float == Integer {
		return float32(code)
	}
	b := floats[f.Float]
	return half.F16ToF32(uint16(int8(code)) << b.shift & uint16(b.mask))
}

// Factor returns what the caller multiplies the scales by.
func (f *Format) Factor() float32 {
	if f.Float == F8E4M3 {
		return 1 << 8
	}
	return 1
}

// Offset returns what Pack adds to the codes, so that they are not negative, and the caller to the
// zero points.
func (f *Format) Offset() float32 {
	if !f.Signed {
		return 0
	}
	return float32(int(1) << (f.Bits - 1))
}

// Layout is the layout of a packed matrix.
type Layout struct {
	Format
	n, depth int
	groups   int  // number of groups
	length   int  // rows of a group; the last can have fewer if there are parts
	octets   int  // rows of a group, rounded up, divided by 8
	parts    bool // the groups are parts of one, and have the same factors

	blocks                 int // blocks of columns
	octetBytes, blockBytes int // bytes of eight rows of a block, and of all its codes
}

// partRows is the number of rows of a group that are added before the sum is added to that of all.
// Long sums of float32 have large rounding errors.
const partRows = 256

// NewLayout returns the layout of a matrix of n columns and depth rows with a number of groups,
// which divides depth. No length may be 0.
func NewLayout(f Format, n, depth, groups int) *Layout {
	l := &Layout{Format: f, n: n, depth: depth, groups: groups, length: depth / groups, blocks: (n + Columns - 1) / Columns, octetBytes: Columns * f.Bits}
	l.octets = l.wholeSpans(octetsOf(l.length))
	if groups == 1 && l.length > partRows {
		l.groups, l.parts = (l.octets*8+partRows-1)/partRows, true
		l.octets = l.wholeSpans((l.octets + l.groups - 1) / l.groups)
		l.length = 8 * l.octets
		l.groups = (depth + l.length - 1) / l.length
	}
	l.blockBytes = l.groups * l.octets * l.octetBytes
	return l
}

// wholeSpans returns n octets, rounded up to a whole number of spans if the codes are packed for
// these.
func (l *Layout) wholeSpans(n int) int {
	const span = SpanRows / 8
	if l.Spans {
		return (n + span - 1) / span * span
	}
	return n
}

// octetsOf returns the number of octets that hold n rows.
func octetsOf(n int) int { return (n + 7) / 8 }

// Blocks returns the number of blocks of columns.
func (l *Layout) Blocks() int { return l.blocks }

// Length returns the number of rows of a group. Expand expands whole groups.
func (l *Layout) Length() int { return l.length }

// Padded returns the number of elements of a row of x: each group is rounded up to a multiple of 8.
func (l *Layout) Padded() int { return l.groups * l.octets * 8 }

// Pad copies a row of x to dst, which has Padded elements, with zeros between the groups. It is not
// needed if Padded is the depth.
func (l *Layout) Pad(dst, x []float32) {
	for g := range l.groups {
		out := dst[g*l.octets*8:][:l.octets*8]
		from := x[g*l.length : min((g+1)*l.length, l.depth)]
		clear(out[copy(out, from):])
	}
}

// Matrix is a packed matrix.
type Matrix struct {
	*Layout
	Codes         *Codes
	Scales, Zeros *Factors
	isa           isa
}

// isa is an instruction set.
type isa uint8

const (
	portable isa = iota
	avx2
	avx512
	neon
)

// String returns the name of the instruction set.
func (i isa) String() string { return [...]string{"portable", "avx2", "avx512", "neon"}[i] }

// New returns a matrix that uses the fastest instruction set of this machine.
func New(codes *Codes, scales, zeros *Factors) *Matrix {
	return &Matrix{codes.Layout, codes, scales, zeros, bestISA()}
}

// String returns the instruction set and the bits of a code, such as "avx512 4 bits".
func (m *Matrix) String() string {
	if m.Bits == 4 {
		return m.isa.String() + " 4 bits"
	}
	if m.Float != Integer {
		return m.isa.String() + " f8"
	}
	return m.isa.String() + " 8 bits"
}

// work is the number of multiplications between two checks for a request to stop.
const work = 1 << 20

// Multiply multiplies up to MaxRows rows by the columns of blocks lo to hi-1:
//
//	c[i*ldc + j] = sum over k of x[i*ldx + k]*b[k,j]
//
// The rows of x are as Pad writes them. The result for a column does not depend on lo and hi. It
// ends early if stop is requested.
func (m *Matrix) Multiply(stop parallel.Stop, c []float32, ldc int, x []float32, ldx, rows, lo, hi int) {
	_ = x[(rows-1)*ldx+m.Padded()-1]
	step := max(work/(m.octets*8*Columns*rows), 1) // groups between two checks
	for block := lo; block < hi; block++ {
		var sums [MaxRows * Columns]float32
		for g := 0; g < m.groups; g += step {
			if stop.Requested() {
				return
			}
			m.addGroups(&sums, x, ldx, rows, block, g, min(step, m.groups-g))
		}
		first := block * Columns
		count := min(Columns, m.n-first)
		for i := range rows {
			copy(c[i*ldc+first:i*ldc+first+count:len(c)], sums[i*Columns:])
		}
	}
}

// Expand writes rows first to first+depth-1 of columns lo to hi-1 to panels of width columns:
//
//	dst[(panel*depth + k)*width + j] = b[first+k, lo + panel*width + j]
//
// first must be the start of a group, depth a number of whole groups unless the matrix ends, lo a
// multiple of width, and hi a multiple of width unless the matrix ends. Columns beyond the matrix
// are zeros. dst has room for 7*width more elements, which become undefined.
func (m *Matrix) Expand(dst []float32, width, first, depth, lo, hi int) {
	if m.expandVectors(dst, width, first, depth, lo, hi) {
		return
	}
	for at := lo; at < hi; at += width {
		panel := dst[(at-lo)*depth:][:depth*width]
		if at+width > m.n {
			clear(panel)
		}
		for j := range min(width, m.n-at) {
			m.expandColumn(panel[j:], width, first, depth, at+j)
		}
	}
}

// expandColumn sets dst[k*width] to element first+k of a column. first is a multiple of 8 in its
// group.
func (m *Matrix) expandColumn(dst []float32, width, first, depth, column int) {
	block, r := column/Columns, column%Columns
	codes, skip := m.Codes.data[block*m.blockBytes:][:m.blockBytes], r
	if m.Bits == 4 {
		skip = r/lanes*64 + r%lanes*4
	}
	numbers := &integers
	if m.Table != nil {
		numbers = m.Table
	}
	for depth > 0 {
		g, row := first/m.length, first%m.length
		scale, zero := m.Scales.at(block, g, r), m.Zeros.at(block, g, r)
		var table [16]float32
		for i, v := range numbers {
			table[i] = (v - zero) * scale
		}
		n := min(m.length-row, depth)
		octet := codes[(g*m.octets+row/8)*m.octetBytes+skip:]
		for k := range n {
			switch {
			case m.Bits == 8:
				dst[k*width] = (m.number(octet[k*Columns]) - zero) * scale
			case k%2 == 0:
				dst[k*width] = table[octet[k/8*m.octetBytes+k/2%4]&15]
			default:
				dst[k*width] = table[octet[k/8*m.octetBytes+k/2%4]>>4]
			}
		}
		if depth -= n; depth > 0 {
			dst, first = dst[n*width:], first+n
		}
	}
}

// addPortable adds the products of groups to sums.
func (m *Matrix) addPortable(sums *[MaxRows * Columns]float32, x []float32, ldx, rows, block, first, count int) {
	for r := range min(Columns, m.n-block*Columns) {
		for g := first; g < first+count; g++ {
			for k := 0; k < m.length; k += partRows {
				var part [partRows]float32
				at := g*m.length + k
				n := min(partRows, m.length-k, m.depth-at)
				m.expandColumn(part[:], 1, at, n, block*Columns+r)
				for i := range rows {
					sum := float32(0)
					from := x[i*ldx+g*m.octets*8+k:]
					for k, v := range part[:n] {
						sum += v * from[k]
					}
					sums[i*Columns+r] += sum
				}
			}
		}
	}
}
