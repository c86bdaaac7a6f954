//go:build !noasm

package depthwise

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the structs that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: bytesCall{}, File: "_neon/bytes/gen.go", Prefix: "call"})
	asmtest.Layout(t, asmtest.Struct{Value: bytesStrip{}, File: "_neon/bytes/gen.go", Prefix: "strip"})
	asmtest.Layout(t, asmtest.Struct{Value: planeCall{}, File: "_neon/floats/gen.go", Prefix: "call"})
}
