//go:build amd64 && !noasm

package pack

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/vinoir/vinoir/internal/cpu"
)

// TestBounds_packing is TestBounds for the assembly that packs.
func TestBounds_packing(t *testing.T) {
	if !cpu.FMA.Available() {
		t.Skip("there is no assembly")
	}
	const depth = 16
	for _, width := range []int{6, 12, 16, 32} {
		assert.NotPanics(t, func() { copyVectors(elements(width*depth), elements((depth-1)*40+width), 40, width, depth) })
		assert.Panics(t, func() { copyVectors(elements(width*depth-1), elements((depth-1)*40+width), 40, width, depth) })
		assert.Panics(t, func() { copyVectors(elements(width*depth), elements((depth-1)*40+width-1), 40, width, depth) })

		const lines, line = 4, 21
		assert.NotPanics(t, func() {
			transposeVectors(elements((depth-1)*width+lines), elements((lines-1)*line+depth), line, width, lines, depth)
		})
		assert.Panics(t, func() {
			transposeVectors(elements((depth-1)*width+lines-1), elements((lines-1)*line+depth), line, width, lines, depth)
		})
		assert.Panics(t, func() {
			transposeVectors(elements((depth-1)*width+lines), elements((lines-1)*line+depth-1), line, width, lines, depth)
		})
	}
}

// TestBounds_levels is TestBounds for the assembly that makes quads.
func TestBounds_levels(t *testing.T) {
	if !cpu.AVX2.Available() {
		t.Skip("there is no assembly")
	}
	const n = 16
	for _, size := range []int{2, 4} {
		var rows [4][]uint8
		for i := range rows {
			rows[i] = make([]uint8, n, 4096)
		}
		assert.NotPanics(t, func() { quadVectors(make([]Quad, n), &rows, 0, size) })
		for i := range size {
			short := rows
			short[i] = rows[i][:n-1]
			assert.Panics(t, func() { quadVectors(make([]Quad, n), &short, 0, size) })
		}
	}
	assert.NotPanics(t, func() { widenVectors(make([]Word, n/2), make([]uint8, n), 0) })
	assert.Panics(t, func() { widenVectors(make([]Word, n/2-1), make([]uint8, n), 0) })
}

// elements returns n elements in the middle of larger memory, so that an access beyond them does no
// harm.
func elements(n int) []float32 { return make([]float32, n+4096)[:n] }
