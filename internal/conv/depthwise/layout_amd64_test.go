//go:build amd64 && !noasm

package depthwise

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the structs that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: bytesCall{}, File: "_asm/bytes/gen.go", Prefix: "field"})
	asmtest.Layout(t, asmtest.Struct{Value: dotsCall{}, File: "_asm/bytes/dots.go", Prefix: "dots"})
	asmtest.Layout(t, asmtest.Struct{Value: planeCall{}, File: "_asm/floats/direct.go", Prefix: "call"})
}
