//go:build amd64 && !noasm

package tile

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/asmtest"
)

// TestLayout compares the structs that the assembly reads with the offsets that its generator has.
func TestLayout(t *testing.T) {
	asmtest.Layout(t, asmtest.Struct{Value: tile{}, File: "_asm/tile.go", Prefix: "field"})
	asmtest.Layout(t, asmtest.Struct{Value: amxTiles{}, File: "_asm/amx.go", Prefix: "amx"})
}
