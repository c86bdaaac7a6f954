package validate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
)

// hostile has a reference to an escape character, a line end, and raw bytes that are a C1 control
// character, a character that reverses text, and no UTF-8.
const hostile = "&#27;[2J&#10;forged: 0 errors\u009b\u202e\xff"

// TestPrintable puts hostile text into each place of a document in turn. Neither the reader nor
// Model may repeat it in an error, a note or a finding.
func TestPrintable(t *testing.T) {
	// Attribute values, names of attributes and elements, texts.
	places := regexp.MustCompile(`"()|[\w-]()=|<[\w-]+()|</[\w-]+()|>()[^<>\s]`)
	registry := optest.Registry(t, builtin.Ops())
	texts, unreadable := 0, 0
	check := func(text string) {
		texts++
		assert.Equal(t, -1, strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", text)
	}
	for _, name := range []string{"If-8/boolean", "Loop-5/f32", "bad/layer_unknown", "bad/op_port_shape_lies", "bad/ge_axis_2", "bad/opset_unknown"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "ir", filepath.FromSlash(name), "model.xml"))
		require.NoError(t, err)
		xml := string(data)
		for _, place := range places.FindAllStringSubmatchIndex(xml, -1) {
			at := place[1]
			for _, group := range []int{2, 4, 6, 8, 10} {
				if place[group] >= 0 {
					at = place[group]
				}
			}
			m, err := irxml.Read([]byte(xml[:at]+hostile+xml[at:]), nil, irxml.ReadOptions{NoBin: true})
			if err != nil {
				unreadable++
				check(err.Error())
				continue
			}
			report := irtest.Validate(t, m, registry)
			for i := range report.Findings {
				check(report.Findings[i].String())
				check(report.Findings[i].Message)
			}
		}
	}
	assert.Greater(t, unreadable, 500)
	assert.Greater(t, texts, 1000)
}
