package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// meadow is a picture that is green below a blue sky.
const meadow = "../classify/meadow.png"

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args, want string
	}{
		{"embed models/text|cats like warm milk|the cat|the market fell", "1.000 cats like warm milk\n0.984 the cat\n0.713 the market fell\n"},
		{"classify models/picture.onnx " + meadow + " red green blue", "green\n"},
		{"listen models/speech.onnx models/speech.pcm", "0.13 s: speech\n0.32 s: silence\n"},
		{"predict models/table.onnx models/rows.csv", "setosa [1.00 0.00]\nvirginica [0.00 1.00]\nvirginica [0.40 0.60]\n"},
	} {
		program, texts, _ := strings.Cut(c.args, "|")
		args := strings.Fields(program)
		if texts != "" {
			args = append(args, strings.Split(texts, "|")...)
		}
		var out strings.Builder
		require.NoError(t, run(context.Background(), &out, args), c.args)
		assert.Equal(t, c.want, out.String(), c.args)
	}
	var out strings.Builder
	require.NoError(t, run(context.Background(), &out, []string{"detect", "models/detector.onnx", meadow, "red", "green", "blue"}))
	assert.Equal(t, 4, strings.Count(out.String(), "blue: rows 0 to 8"), "the sky")
	assert.NotContains(t, out.String(), "rows 16")
}

func TestRun_fails(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad")
	require.NoError(t, os.WriteFile(bad, []byte("5.1,tall\n"), 0o600))
	for args, want := range map[string]string{
		"embed models/text":                              "2 arguments; usage:",
		"paint models/picture.onnx " + meadow:            "there is no program paint",
		"classify models/picture.onnx " + meadow:         "class 1 has no label: there are 0",
		"detect models/detector.onnx " + meadow + " red": "class 1 has no label: there are 1",
		"detect models/table.onnx " + meadow:             "TreeEnsemble",
		"listen models/picture.onnx models/speech.pcm":   `no input of that name`,
		"predict models/table.onnx " + bad:               `row 1: strconv.ParseFloat: parsing "tall": invalid syntax`,
		"predict models/picture.onnx models/rows.csv":    "[3,4]",
	} {
		assert.ErrorContains(t, run(context.Background(), io.Discard, strings.Fields(args)), want, args)
	}
	for _, program := range []string{"embed", "classify", "detect", "listen", "predict"} {
		err := run(context.Background(), io.Discard, []string{program, "none", "none"})
		assert.ErrorIs(t, err, fs.ErrNotExist, program)
	}
	for _, args := range []string{
		"classify models/picture.onnx none", "detect models/detector.onnx none", "listen models/speech.onnx none", "predict models/table.onnx none",
	} {
		assert.ErrorIs(t, run(context.Background(), io.Discard, strings.Fields(args)), fs.ErrNotExist, args)
	}
}
