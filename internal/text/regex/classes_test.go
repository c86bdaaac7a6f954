package regex_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/regex"
)

// TestClasses compares each class with PCRE2: at the ends of its ranges and some code points
// between, at all of them if VINOIR_EXHAUSTIVE is set.
func TestClasses(t *testing.T) {
	corpus := os.Getenv("VINOIR_CORPUS")
	if corpus == "" {
		t.Skip("VINOIR_CORPUS is not set")
	}
	file, err := os.ReadFile(filepath.Join(corpus, "text", "unicode", "classes.json"))
	require.NoError(t, err)
	var data struct{ Classes map[string]*string }
	require.NoError(t, json.Unmarshal(file, &data))
	require.NotEmpty(t, data.Classes)
	exhaustive := os.Getenv("VINOIR_EXHAUSTIVE") != ""
	for class, want := range data.Classes {
		re, err := regex.Compile([]byte("^" + class + "$"))
		if want == nil {
			assert.Error(t, err, class)
			continue
		}
		if !assert.NoError(t, err, class) {
			continue
		}
		members := make([]bool, utf8.MaxRune+2)
		for _, field := range strings.Fields(*want) {
			first, last, ok := strings.Cut(field, "-")
			if !ok {
				last = first
			}
			lo, err := strconv.ParseUint(first, 16, 32)
			require.NoError(t, err)
			hi, err := strconv.ParseUint(last, 16, 32)
			require.NoError(t, err)
			for r := lo; r <= hi; r++ {
				members[r] = true
			}
		}
		var m regex.Matcher
		wrong := 0
		for r := rune(1); r <= utf8.MaxRune; r++ {
			edge := members[r] != members[r-1] || members[r] != members[r+1]
			if !edge && !exhaustive && r%101 != 0 || r >= 0xd800 && r < 0xe000 {
				continue
			}
			m.Reset(re, []byte(string(r)))
			found, err := m.Find(0, 0)
			require.NoError(t, err)
			if found != members[r] {
				if wrong == 0 {
					t.Errorf("%s: %U: %v", class, r, found)
				}
				wrong++
			}
		}
		assert.Zero(t, wrong, class)
	}
}
