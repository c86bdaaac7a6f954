package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/regular"
)

// modelFile is the file of a model. --fix does not leave tree, the folder that the user has named.
type modelFile struct{ path, tree string }

// findModels returns the models in args. A directory stands for every IR and ONNX model below it in
// lexical order, except for hidden files and files in hidden directories.
func findModels(ctx context.Context, args []string) ([]modelFile, error) {
	var files []modelFile
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == stdinName || err != nil || !info.IsDir() {
			files = append(files, modelFile{arg, filepath.Dir(arg)}) // a missing file is a finding
			continue
		}
		before := len(files)
		err = filepath.WalkDir(arg, func(path string, entry fs.DirEntry, err error) error {
			hidden := strings.HasPrefix(entry.Name(), ".") && path != arg
			switch {
			case path != arg && errors.Is(err, fs.ErrNotExist):
				return nil // it has been removed in the meantime
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return err
			case entry.IsDir() && hidden:
				return fs.SkipDir
			case !entry.IsDir() && !hidden && isModel(path):
				files = append(files, modelFile{path, arg})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, usagef("no model is below %s", arg)
		}
	}
	return files, nil
}

// modelStart is the number of bytes at the start of a file in which isModel looks for <net.
const modelStart = 4096

// isModel reports whether a file is named like an ONNX model, or like an XML that starts like an IR
// or like a pointer of Git LFS to one. It returns true for a file that cannot be opened, so that
// this is reported.
func isModel(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	if !slices.Contains(modelExtensions, ext) {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if ext == ".onnx" {
		return true
	}
	file, err := regular.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	start := make([]byte, modelStart)
	n, _ := io.ReadFull(file, start)
	// Without zero bytes, UTF-16 is searched like UTF-8.
	start = bytes.ToLower(bytes.ReplaceAll(start[:n], []byte{0}, nil))
	return bytes.Contains(start, []byte("<net")) || bytes.HasPrefix(start, []byte("version https://git-lfs"))
}
