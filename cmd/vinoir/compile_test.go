package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

func TestCompileFlags(t *testing.T) {
	var options plugin.CompileOptions
	cmd := &cobra.Command{}
	addCompileFlags(cmd, &options)
	require.NoError(t, cmd.ParseFlags([]string{"--threads", "3"}))
	assert.Equal(t, plugin.CompileOptions{InferenceNumThreads: 3}, options)
	require.NoError(t, cmd.ParseFlags([]string{"--execution-mode", "accuracy"}))
	assert.Equal(t, plugin.CompileOptions{InferenceNumThreads: 3, ExecutionMode: plugin.ExecutionModeAccuracy}, options)
	require.NoError(t, cmd.ParseFlags([]string{"--idle"}))
	assert.Equal(t, plugin.CompileOptions{InferenceNumThreads: 3, IdleAtOnce: true, ExecutionMode: plugin.ExecutionModeAccuracy}, options)

	require.NoError(t, cmd.ParseFlags([]string{"--precision", "BF16", "--kv-cache-precision", "u8"}))
	assert.Equal(t, ir.BF16, options.InferencePrecision)
	assert.Equal(t, ir.U8, options.KVCachePrecision)

	for _, command := range []string{"run", "benchmark", "profile", "conformance"} {
		got := vinoir("", command, messages, "--execution-mode", "fast")
		assert.Equal(t, exitUsage, got.code, "%s: %v", command, got)
		assert.Contains(t, got.stderr, `"fast" is not an execution mode; there are PERFORMANCE and ACCURACY`)
	}
}
