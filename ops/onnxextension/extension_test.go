package onnxextension

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/familytest"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
)

// TestFamilies checks the list. A test of ops/builtin compares it with the folders.
func TestFamilies(t *testing.T) {
	familytest.CheckExtension(t, "onnxextension", families, append(builtin.Ops(), Ops()...), "vinoir")
	assert.Empty(t, ops.Extension("CachedAttention", "vinoir"))
	assert.Empty(t, ops.Extension("KeyIndex", "extension"))
}
