package jinja_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/text/jinja"
)

// FuzzRender renders any template: it must end within its limits, with valid UTF-8 or an error.
func FuzzRender(f *testing.F) {
	vars, cases := golden(f, "testdata/cases.jsonl")
	for _, c := range cases {
		f.Add(c.Template)
	}
	limits := jinja.Limits{Steps: 20_000, Memory: 1 << 20, Output: 1 << 16}
	f.Fuzz(func(t *testing.T, source string) {
		if !utf8.ValidString(source) {
			return
		}
		text, err := render(t.Context(), source, vars, jinja.Options{Limits: limits})
		if err != nil {
			assert.Empty(t, text)
			assert.NotContains(t, err.Error(), "BUG")
			return
		}
		assert.LessOrEqual(t, len(text), limits.Output)
		assert.True(t, utf8.ValidString(text), "%q", text)
	})
}
