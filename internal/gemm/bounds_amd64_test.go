//go:build amd64 && !noasm

package gemm

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// within returns n elements in the middle of larger memory, so that an access beyond them does no
// harm.
func within(n int) []float32 { return make([]float32, n+4096)[:n] }

// TestBounds gives the assembly slices that are one element too short. It must not run: the call
// panics before the output is written.
func TestBounds(t *testing.T) {
	eachKernel(t, func(name string, k *FloatKernel) {
		if k.ISA == tile.Portable {
			return // Go checks bounds
		}
		t.Run(name, func(t *testing.T) {
			const depth = 5
			for _, m := range []int{1, k.MR, k.MR + 1} {
				for _, n := range []int{1, k.NR - 1, k.NR, k.NR + 9} {
					ldc := n + 3
					rows, columns := k.PanelsA(m)*k.MR, k.PanelsB(n)*k.NR
					lengths := []int{rows * depth, columns * depth, (m-1)*ldc + n, m, n}
					for short := range len(lengths) + 1 {
						var s [5][]float32
						for i, n := range lengths {
							s[i] = within(n)
							if i == short {
								s[i] = s[i][:n-1]
							}
						}
						for _, x := range []int{0, 1} {
							for i := range s[x] {
								s[x][i] = 1
							}
						}
						e := []Step{{Op: AddRows, Values: s[3]}, {Op: AddColumns, Values: s[4]}}
						run := func() {
							k.Multiply(&FloatProduct{C: s[2], LDC: ldc, A: s[0], B: s[1], Depth: depth, MHi: m, NHi: n, Steps: e})
						}
						if short == len(lengths) {
							require.NotPanics(t, run)
							continue
						}
						assert.Panics(t, run, "%d rows, %d columns, slice %d", m, n, short)
						assert.Equal(t, -1, slices.IndexFunc(s[2], func(v float32) bool { return v != 0 }), "slice %d: c was written", short)
					}
				}
			}
		})
	})
}

// TestBounds_row is TestBounds for Row.
func TestBounds_row(t *testing.T) {
	for depth := 1; depth < 10; depth++ {
		const n = 19
		for _, b := range []Matrix[float32]{{RowStride: n, ColStride: 1}, {RowStride: 1, ColStride: depth}} {
			run := func(c, length int) func() {
				b.Data = within(length)
				return func() { Row(nil, within(c), within(depth), b, 0, n) }
			}
			assert.NotPanics(t, run(n, n*depth))
			assert.Panics(t, run(n, n*depth-1), "depth %d", depth)
		}
	}
}
