package plugin

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFewFamiliesLinkFew links a program that lists five families and one that lists all families.
// The first must not contain code of families that it does not list.
func TestFewFamiliesLinkFew(t *testing.T) {
	if testing.Short() {
		t.Skip("it links two programs")
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes")
	}
	few, all := link(t, "fewfamilies"), link(t, "allfamilies")
	assert.Less(t, len(few), len(all)*9/10, "bytes")
	for _, family := range []string{"concat", "shapeof"} {
		assert.True(t, links(few, family), family)
	}
	for _, family := range []string{"eltwise", "gather", "scatterelements", "builtin"} {
		assert.False(t, links(few, family), family)
		assert.True(t, links(all, family), family)
	}
}

// link returns the binary of a program in testdata.
func link(t *testing.T, program string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), program)
	out, err := exec.Command("go", "build", "-o", path, "./testdata/"+program).CombinedOutput()
	require.NoError(t, err, "%s", out)
	binary, err := os.ReadFile(path)
	require.NoError(t, err)
	return binary
}

// links reports whether a binary contains functions of a family. Their names are in the table for
// stack traces.
func links(binary []byte, family string) bool {
	return bytes.Contains(binary, []byte("github.com/vinoir/vinoir/ops/"+family+"."))
}
