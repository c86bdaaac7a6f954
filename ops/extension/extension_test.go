package extension

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/familytest"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
)

// TestFamilies checks the list. A test of ops/builtin compares it with the folders.
func TestFamilies(t *testing.T) {
	familytest.CheckExtension(t, "extension", families, append(builtin.Ops(), Ops()...), "extension", "openvino_tokenizers")
	assert.Equal(t, "github.com/vinoir/vinoir/ops/extension", ops.Extension("stringTensorPack", "extension"))
	assert.Empty(t, ops.Extension("Relu", "extension"))
}
