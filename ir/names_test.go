package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNameError(t *testing.T) {
	e := &NameError{Kind: "input", Name: "x", Names: [][]string{{"a"}, {"b", "b", "c", "d", "e", "f"}, nil}}
	assert.ErrorContains(t, e, `it has "a", "b" ("c", "d", "e"), one without a name`)
	e.Names = nil
	assert.ErrorContains(t, e, "it has none at all")
}
