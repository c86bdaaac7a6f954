package jinja

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRender_bug causes a panic in a rendering, in a way that callers cannot.
func TestRender_bug(t *testing.T) {
	text, err := (&Template{body: []statement{nil}}).Render(t.Context(), nil, Options{})
	assert.Empty(t, text)
	assert.ErrorContains(t, err, "BUG: panic in a template: ")
}
