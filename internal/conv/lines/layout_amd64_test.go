//go:build amd64 && !noasm

package lines

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the structs that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: lineCall{}, File: "_asm/gen.go", Prefix: "field"})
}
