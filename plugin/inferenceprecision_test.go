package plugin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
)

// TestInferencePrecision checks that the hint counts only where the processor has instructions for
// it.
func TestInferencePrecision(t *testing.T) {
	check := func(has map[ir.ElementType]bool) {
		for _, hint := range []ir.ElementType{ir.Dynamic, ir.F32, ir.BF16, ir.F16} {
			want := ir.Dynamic
			if has[hint] {
				want = hint
			}
			o := CompileOptions{InferencePrecision: hint}
			assert.Equal(t, want, o.roundedTo(), "%v", hint)
		}
	}
	check(map[ir.ElementType]bool{ir.BF16: gemm.HasPairs(false), ir.F16: gemm.HasPairs(true)})
	defer cpu.Disable(cpu.Features()...)()
	check(nil)
}
