package embedding

import (
	"cmp"
	"math"
	"sort"

	"github.com/vinoir/vinoir/internal/gemm"
)

// Matrix has a vector of Columns numbers in each of its rows.
type Matrix struct {
	Rows, Columns int
	// Data are the rows, one after the other.
	Data []float32
}

// Row returns row i. It shares the memory of m.
func (m *Matrix) Row(i int) []float32 {
	return m.Data[i*m.Columns : (i+1)*m.Columns : (i+1)*m.Columns]
}

// Match is a row of a Matrix, or a document, and its score: the larger, the better.
type Match struct {
	Index int
	Score float32
}

// Search returns the n rows that have the largest dot products with query, the largest first: the
// most similar texts, if vectors are normalized. Of equal ones, the first comes first; NaN is the
// smallest. There are fewer if m has fewer rows, and none if query has another length than they.
func (m *Matrix) Search(query []float32, n int) []Match {
	if n = min(n, m.Rows); n <= 0 || len(query) != m.Columns {
		return nil
	}
	best := top{matches: make([]Match, 0, n), n: n}
	scores := make([]float32, min(searchRows, m.Rows))
	for first := 0; first < m.Rows; first += len(scores) {
		part := scores[:min(len(scores), m.Rows-first)]
		rows := gemm.Matrix[float32]{Data: m.Data[first*m.Columns:], RowStride: 1, ColStride: m.Columns}
		gemm.Row(nil, part, query, rows, 0, len(part))
		for i, score := range part {
			best.add(Match{Index: first + i, Score: score})
		}
	}
	return best.sorted()
}

// searchRows is the number of rows whose products are computed before they are compared.
const searchRows = 1024

// top keeps the n best of the matches that are added in the order of their indices.
type top struct {
	matches []Match // once there are n, a heap whose root is the worst
	n       int
}

// compareMatches sorts the best match first.
func compareMatches(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
}

func (t *top) add(m Match) {
	switch {
	case t.n <= 0:
	case len(t.matches) < t.n:
		t.matches = append(t.matches, m)
		if len(t.matches) == t.n { // sorted from the worst, it is a heap
			t.sort(func(a, b Match) bool { return compareMatches(b, a) < 0 })
		}
	case compareMatches(m, t.matches[0]) < 0:
		t.matches[0] = m
		t.sink()
	}
}

// sink moves the root to its place.
func (t *top) sink() {
	h, i := t.matches, 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && compareMatches(h[child], h[child+1]) < 0 {
			child++
		}
		if compareMatches(h[child], h[i]) < 0 {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// sorted returns the matches, the best first.
func (t *top) sorted() []Match {
	t.sort(func(a, b Match) bool { return compareMatches(a, b) < 0 })
	return t.matches
}

func (t *top) sort(less func(a, b Match) bool) {
	sort.Slice(t.matches, func(i, j int) bool { return less(t.matches[i], t.matches[j]) })
}

// Dot returns the dot product of two vectors, which must have the same length.
func Dot(a, b []float32) float32 {
	var product [1]float32
	gemm.Row(nil, product[:], a, gemm.Matrix[float32]{Data: b[:len(a)], RowStride: 1, ColStride: len(a)}, 0, 1)
	return product[0]
}

// Cosine returns the cosine of the angle between two vectors, which must have the same length; 0 if
// one of them is 0.
func Cosine(a, b []float32) float32 {
	lengths := float64(length(a)) * float64(length(b))
	if lengths == 0 {
		return 0
	}
	return float32(float64(Dot(a, b)) / lengths)
}

// length returns the Euclidean length of a vector.
func length(v []float32) float32 { return float32(math.Sqrt(float64(Dot(v, v)))) }

// normalize divides a vector by its length, unless that is about 0.
func normalize(v []float32) {
	scale := 1 / max(length(v), 1e-12)
	for i := range v {
		v[i] *= scale
	}
}
