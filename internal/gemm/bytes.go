package gemm

import (
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Bytes is a matrix b of i8, packed so that matrices of u8 can be multiplied by it:
//
//	c[i,j] = scale[j] * (sum over p of a[i,p]*b[p,j]) + offset[j]
//
// The sums are exact. Panels of 32 columns follow each other; a panel holds four elements of the
// depth of each column, then the next four.
type Bytes struct {
	panels   []int8
	sums     []int32 // of the columns, times 128
	n, depth int
}

const (
	// BytesColumns is the number of columns of a panel.
	BytesColumns = 32
	// bytesQuad is the number of elements of the depth that are multiplied and added by one
	// instruction.
	bytesQuad = 4
	// MaxBytesDepth is the largest depth whose sums fit an int32.
	MaxBytesDepth = (1<<31 - 1) / (255 * 128)
)

// IsBytes reports whether a matrix with the given depth can be packed as Bytes.
func IsBytes(depth int) bool { return depth > 0 && depth%bytesQuad == 0 && depth <= MaxBytesDepth }

// BytesLen returns the number of bytes that PackBytes takes for a matrix with n columns.
func BytesLen(n, depth int) int { return bytesPanels(n) * BytesColumns * (depth + 4) }

func bytesPanels(n int) int { return (n + BytesColumns - 1) / BytesColumns }

// PackBytes packs b, which has n columns. IsBytes must be true. It ends early if stop is requested.
func PackBytes(stop parallel.Stop, b Matrix[int8], n, depth int) *Bytes {
	columns := bytesPanels(n) * BytesColumns
	m := &Bytes{memory.Of[int8](columns * depth), make([]int32, columns), n, depth}
	for j := range n {
		if stop.Requested() {
			break
		}
		column := b.Data[j*b.ColStride:]
		to := m.panels[j/BytesColumns*BytesColumns*depth+j%BytesColumns*bytesQuad:]
		sum := int32(0)
		for p := 0; p < depth; p += bytesQuad {
			quad := to[p*BytesColumns:][:bytesQuad]
			for i := range quad {
				quad[i] = column[(p+i)*b.RowStride]
				sum += int32(quad[i])
			}
		}
		m.sums[j] = 128 * sum
	}
	return m
}

// Panels returns the number of panels.
func (m *Bytes) Panels() int { return bytesPanels(m.n) }

// BytesProduct is the argument of Bytes.Multiply.
type BytesProduct struct {
	C      []float32 // starts at column 0
	LDC    int       // elements from one row of c to the next
	A      []uint8
	Stride int // elements from one row of a to the next
	Rows   int // of a and c
	// of each column of a panel, also of those that b does not have
	Scale, Offset []float32
}

// Multiply multiplies by the columns of panels lo to hi-1.
func (m *Bytes) Multiply(p *BytesProduct, lo, hi int) {
	for panel := lo; panel < hi; panel++ {
		first := panel * BytesColumns
		t := bytesPanel{
			m.panels[first*m.depth:][:BytesColumns*m.depth], m.sums[first:][:BytesColumns], min(BytesColumns, m.n-first),
			p.Scale[first:][:BytesColumns], p.Offset[first:][:BytesColumns],
		}
		t.multiply(p.C[first:], p.LDC, p.A, p.Stride, p.Rows)
	}
}

// bytesPanel is a panel of Bytes.
type bytesPanel struct {
	weights       []int8
	sums          []int32 // of the columns, times 128
	columns       int     // that are not padding
	scale, offset []float32
}

// multiplyPortable is multiply without assembly.
func (t *bytesPanel) multiplyPortable(c []float32, ldc int, a []uint8, stride, rows int) {
	depth := len(t.weights) / BytesColumns
	for i := range rows {
		var sums [BytesColumns]int32
		row := a[i*stride:][:depth]
		for p := 0; p < depth; p += bytesQuad {
			x0, x1, x2, x3 := int32(row[p]), int32(row[p+1]), int32(row[p+2]), int32(row[p+3])
			quads := t.weights[p*BytesColumns:][:bytesQuad*BytesColumns]
			for j := range sums {
				w := quads[bytesQuad*j:][:bytesQuad]
				sums[j] += x0*int32(w[0]) + x1*int32(w[1]) + x2*int32(w[2]) + x3*int32(w[3])
			}
		}
		out := c[i*ldc:][:t.columns]
		for j := range out {
			out[j] = float32(float64(sums[j])*float64(t.scale[j]) + float64(t.offset[j]))
		}
	}
}
