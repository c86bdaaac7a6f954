//go:build amd64 && !noasm

package tile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// TestAMX_portable compares the instructions with what is computed in Go, bit by bit. Random bits
// have all kinds of numbers in bf16 and f16, but for NaN and, in f16, infinities.
func TestAMX_portable(t *testing.T) {
	if !cpu.AMX.Available() {
		t.Skip("SKIPPED: the processor has no AMX")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	products := []amxProduct{amxBSUD, amxBUSD, amxBF16PS}
	if cpu.AMXFP16.Available() {
		products = append(products, amxFP16PS)
	} else {
		t.Log("without f16: the processor has no AMX-FP16")
	}
	for _, product := range products {
		for _, s := range []struct{ m, d, n, add int }{{32, 64, 32, 0}, {32, 36, 32, 1}, {16, 16, 16, 0}, {31, 7, 16, 1}, {100, 48, 32, 1}, {5, 1, 16, 0}} {
			t.Run(fmt.Sprint(product, s), func(t *testing.T) {
				panels := (s.m + AMXMR - 1) / AMXMR
				a, b := make([]float32, panels*AMXMR*s.d), make([]float32, AMXNR*s.d)
				c := make([]float32, s.m*AMXNR)
				for _, x := range [][]float32{a, b, c} {
					for i := range x {
						bits := rng.Uint32()
						if product >= amxBF16PS { // exponents that do not overflow
							bits &^= 0x40004000
						}
						x[i] = math.Float32frombits(bits)
					}
				}
				portable := append([]float32(nil), c...)
				multiply := func(c []float32) {
					tiles := amxTiles{a: unsafe.Pointer(&a[0]), b: unsafe.Pointer(&b[0]), c: unsafe.Pointer(&c[0]), stepB: 4 * AMXNR, stepC: 4 * AMXNR, panelC: 4 * AMXNR * AMXMR, add: s.add}
					tiles.setBlock(s.d, amxDepth(s.d))
					tiles.multiply(product, amxDepth(s.d), s.m, s.n)
				}
				multiply(c)
				restore := cpu.Disable(cpu.AMX, cpu.AMXFP16)
				multiply(portable)
				restore()
				for i := range c {
					require.Equal(t, math.Float32bits(portable[i]), math.Float32bits(c[i]), "element %d: %v and %v", i, portable[i], c[i])
				}
			})
		}
	}
}
