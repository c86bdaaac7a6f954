//go:build !noasm

package tile

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the structs that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: tile{}, File: "_neon/gen.go", Prefix: "field"})
	asmtest.Layout(t, asmtest.Struct{Value: halvesTile{}, File: "_neon/halves.go", Prefix: "halves", Names: map[string]string{"hi": ""}})
	asmtest.Layout(t, asmtest.Struct{
		Value: quadsTile{}, File: "_neon/quads.go", Prefix: "quads", Names: map[string]string{"hi": "", "bytes": "out", "stepBytes": "stepOut"},
	})
}
