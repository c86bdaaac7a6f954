//go:build !noasm

package cpu

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAMX compares with the flags that Linux prints. It has a flag only if it lets programs use the
// feature.
func TestAMX(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	flag := func(name string) bool { return regexp.MustCompile(`\b` + name + `\b`).Match(info) }
	if permitTiles() {
		assert.True(t, flag("amx_tile"), "the permission to use tiles")
	}
	if flag("amx_fp16") {
		assert.True(t, hasAMXFP16())
	}
}

func TestFeature_String(t *testing.T) { assert.Equal(t, "AVX2", AVX2.String()) }
