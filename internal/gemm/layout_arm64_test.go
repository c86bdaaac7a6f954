//go:build !noasm

package gemm

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the struct that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: bytesTile{}, File: "_neon/bytes.go", Prefix: "bytes"})
}
