package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const add = "../../../testdata/ir/Add-1/f64"

// execute runs the command line without variables.
func execute(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(ctx, args, func(string) (string, bool) { return "", false }, &out, &err)
	return code, out.String(), err.String()
}

func TestRun_usage(t *testing.T) {
	for _, args := range [][]string{{"--nothing"}, {}, {"--rest-port=x"}, {"check", "a", "b"}, {"serve"}} {
		code, stdout, stderr := execute(t.Context(), args...)
		require.Equal(t, exitUsage, code, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "See vinoir-serve --help.")
	}
	code, stdout, _ := execute(t.Context(), "--help")
	require.Equal(t, exitGood, code)
	require.Contains(t, stdout, "--model-repository DIR")
	require.NotContains(t, stdout, "rest-workers")
	code, stdout, _ = execute(t.Context(), "version")
	require.Equal(t, exitGood, code)
	require.Contains(t, stdout, "vinoir-serve ")
}

func TestRun_fault(t *testing.T) {
	code, _, stderr := execute(t.Context(), "--model-repository", t.TempDir())
	require.Equal(t, exitFault, code)
	require.Contains(t, stderr, "vinoir-serve: ")
	require.NotContains(t, stderr, "--help")
}

func TestRun_serve(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the server drains as soon as it listens
	code, _, stderr := execute(ctx, "--model-path", add, "--rest-port=0", "--single-port=0", "--grpc-port=0",
		"--metrics-port=0")
	require.Equal(t, exitUsage, code, stderr)
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("drain-delay: 0\nhost: 127.0.0.1\n"), 0o600))
	code, _, stderr = execute(ctx, "--model-path", add, "--config", config, "--rest-port=0", "--grpc-port=39187")
	require.Equal(t, exitGood, code, stderr)
	require.Contains(t, stderr, `"msg":"all requests are answered"`)
}

func TestRun_check(t *testing.T) {
	code, stdout, _ := execute(t.Context(), "check", add)
	require.Equal(t, exitGood, code)
	require.Contains(t, stdout, "f64 1: would be served\n")
	require.Contains(t, stdout, "  input in0 FP64 []\n")

	code, stdout, _ = execute(t.Context(), "check", "--json", add)
	require.Equal(t, exitGood, code)
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &list))
	require.Equal(t, "f64", list[0]["model"])

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model.xml"), []byte("<net"), 0o600))
	code, stdout, stderr := execute(t.Context(), "check", dir)
	require.Equal(t, exitFault, code)
	require.Contains(t, stdout, "would not be served: ")
	require.Empty(t, stderr)
}
