//go:build amd64 && !noasm

package pointwise

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the struct that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: call{}, File: "_asm/gen.go", Prefix: "call"})
}
