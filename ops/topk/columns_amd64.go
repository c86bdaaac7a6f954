//go:build !noasm

package topk

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../columns_amd64.s -stubs ../stubs_amd64.go -pkg topk"

func hasColumns() bool { return cpu.AVX2.Available() }

// improveColumns replaces values by better elements of their columns, and the positions by the numbers of
// their rows, counted from first. data has rows that are stride elements apart. The least elements are the
// best if smallest is set, else the greatest. NaN replaces nothing and is not replaced.
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
