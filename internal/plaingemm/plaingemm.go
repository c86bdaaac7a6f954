// Package plaingemm multiplies matrices of float64 and of integers, which models seldom multiply,
// in plain loops: without packing and without code for each processor. Package gemm has the fast
// products.
package plaingemm

import "github.com/vinoir/vinoir/internal/parallel"

// Number is the constraint of elements. Signed integers are multiplied as unsigned ones of the same
// size: wrapped sums and products have the same bits.
type Number interface{ float64 | uint32 | uint64 }

// Matrix is a matrix in memory: element i,j is Data[i*RowStride + j*ColStride].
type Matrix[T Number] struct {
	Data                 []T
	RowStride, ColStride int
}

// Multiply sets the m by n matrix c, whose rows are stride elements apart, to the product of a and
// b:
//
//	c[i,j] = sum over k < depth of a[i,k]*b[k,j]
//
// The products are added in the order of k. If the work must stop, Multiply returns early.
func Multiply[T Number](stop parallel.Stop, c []T, stride int, a, b Matrix[T], m, n, depth int) {
	if depth == 0 {
		for i := range m {
			clear(c[i*stride:][:n])
		}
		return
	}
	meter := stop.Meter()
	for first := 0; first < depth; first += pieceDepth {
		k := min(depth-first, pieceDepth)
		for i := 0; i < m; i += tileRows {
			if meter.Spent(k * n * tileRows) {
				return
			}
			// The last tile may have one row. It is then computed twice, and so are columns.
			i1 := min(i+1, m-1)
			x, y := a.Data[i*a.RowStride+first*a.ColStride:], a.Data[i1*a.RowStride+first*a.ColStride:]
			for j := 0; j < n; j += tileColumns {
				var sums [2 * tileColumns]T
				to, to1 := c[i*stride:][:n], c[i1*stride:][:n]
				to, to1 = to[j:min(j+tileColumns, n)], to1[j:min(j+tileColumns, n)]
				if first > 0 {
					copy(sums[:], to)
					copy(sums[tileColumns:], to1)
				}
				j1, j2, j3 := min(j+1, n-1), min(j+2, n-1), min(j+3, n-1)
				addTile(&sums, x, y, a.ColStride, b.Data[first*b.RowStride+j*b.ColStride:],
					(j1-j)*b.ColStride, (j2-j)*b.ColStride, (j3-j)*b.ColStride, b.RowStride, k)
				copy(to1, sums[tileColumns:])
				copy(to, sums[:])
			}
		}
	}
}

const (
	// tileRows and tileColumns are the size of the part of c that is kept in registers.
	tileRows, tileColumns = 2, 4
	// pieceDepth is the depth of the products that are added at a time: so much of four columns
	// stays in the first-level cache for the next tile.
	pieceDepth = 256
)

// addTile adds the products of two rows, whose elements are step apart, and of the four columns of
// b at 0, b1, b2 and b3, whose elements are row apart.
func addTile[T Number](sums *[2 * tileColumns]T, x, y []T, step int, b []T, b1, b2, b3, row, depth int) {
	s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
	t0, t1, t2, t3 := sums[4], sums[5], sums[6], sums[7]
	at, from := 0, 0
	for range depth {
		u, v := x[at], y[at]
		c0, c1, c2, c3 := b[from], b[from+b1], b[from+b2], b[from+b3]
		s0 += u * c0
		s1 += u * c1
		s2 += u * c2
		s3 += u * c3
		t0 += v * c0
		t1 += v * c1
		t2 += v * c2
		t3 += v * c3
		at += step
		from += row
	}
	sums[0], sums[1], sums[2], sums[3] = s0, s1, s2, s3
	sums[4], sums[5], sums[6], sums[7] = t0, t1, t2, t3
}
