package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRun checks what the program prints. The scores are cosines: 134 / sqrt(18200) is 0.993.
func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	assert.Equal(t, `Parameter   query         f32[?,3]
Constant    Constant_1    i64[1]
NormalizeL2 NormalizeL2_2 f32[?,3]
Constant    Constant_3    f32[4,3]
MatMul      score         f32[?,4]
Constant    Constant_5    i32[]
TopK        TopK_6        f32[?,2]
TopK        TopK_6        i32[?,2]
query 0: red 0.999, olive 0.639
query 1: olive 0.993, green 0.741
`, out.String())
}
