package vmath

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAssembly_registers checks that code for AVX2 does not use the upper 16 registers, which
// only AVX-512 has. Neither the generator nor the assembler rejects them.
func TestAssembly_registers(t *testing.T) {
	text, err := os.ReadFile("rows_amd64.s")
	require.NoError(t, err)
	upper := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K\d)\b`)
	for _, function := range strings.Split(string(text), "\nTEXT ·")[1:] {
		name, code, _ := strings.Cut(function, "(SB)")
		if !strings.HasSuffix(name, "512") {
			assert.Empty(t, upper.FindAllString(code, 1), name)
		}
	}
}
