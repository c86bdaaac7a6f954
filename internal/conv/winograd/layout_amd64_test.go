//go:build amd64 && !noasm

package winograd

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the structs that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: inputCall{}, File: "_asm/input.go", Prefix: "in"})
	asmtest.Layout(t, asmtest.Struct{Value: outputCall{}, File: "_asm/output.go", Prefix: "out"})
}
