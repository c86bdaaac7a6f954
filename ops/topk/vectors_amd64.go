//go:build !noasm

package topk

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../vectors_amd64.s -stubs ../stubs_amd64.go -pkg topk"

func hasAssembly() bool { return cpu.AVX2.Available() }

// improveColumns replaces values by better elements of their columns, and the positions by the
// numbers of their rows, counted from first. data has rows that are stride elements apart. The
// least elements are the best if smallest is set, else the greatest. NaN replaces nothing and is
// not replaced.
func improveColumns(values []float32, positions []uint32, data []float32, stride, first, rows int, smallest bool) {
	if len(values) == 0 || rows == 0 {
		return
	}
	_, _ = positions[:len(values)], data[:(rows-1)*stride+len(values)]
	v, p, d, n := &values[0], &positions[0], &data[0], len(values)
	// Calls through a variable would move positions to the heap.
	switch wide := cpu.AVX512.Available(); {
	case wide && smallest:
		least512(v, p, d, stride, first, rows, n)
	case wide:
		greatest512(v, p, d, stride, first, rows, n)
	case smallest:
		least2(v, p, d, stride, first, rows, n)
	default:
		greatest2(v, p, d, stride, first, rows, n)
	}
}

// setFloatKeys sets keys to ranking.key of x. flip is that of the ranking.
func setFloatKeys(keys []uint32, x []float32, flip uint32) {
	switch n := len(x); {
	case n == 0:
	case cpu.AVX512.Available():
		floatKeys512(&keys[:n][0], &x[0], n, flip)
	default:
		floatKeys2(&keys[:n][0], &x[0], n, flip)
	}
}

// insertRows inserts each element of rows of keys into the k sorted keys of its column, and the
// number of its row, counted from first, into their positions. A row has `columns` elements, a
// positive multiple of tileLanes.
func insertRows(keys, positions, rows []uint32, first, k, columns int) {
	n := len(rows) / columns
	if n == 0 {
		return
	}
	_, _ = keys[:k*columns], positions[:k*columns]
	if cpu.AVX512.Available() {
		insertRows512(&keys[0], &positions[0], &rows[0], first, n, k, columns)
	} else {
		insertRows2(&keys[0], &positions[0], &rows[0], first, n, k, columns)
	}
}
