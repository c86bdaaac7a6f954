//go:build amd64 && !noasm

package gemm

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the structs that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: bytesTile{}, File: "_asm/bytes.go", Prefix: "bytes", Names: map[string]string{"columns": "end"}})
	asmtest.Layout(t, asmtest.Struct{Value: small{}, File: "_asm/small.go", Prefix: "small", Names: map[string]string{"columns": "mask"}})
}
