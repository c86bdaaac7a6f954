//go:build !noasm

package winograd

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the structs that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: inputCall{}, File: "_neon/input.go", Prefix: "in"})
	asmtest.Layout(t, asmtest.Struct{Value: outputCall{}, File: "_neon/output.go", Prefix: "out", Names: map[string]string{"out": "to"}})
}
