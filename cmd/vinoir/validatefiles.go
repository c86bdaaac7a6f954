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
type modelFile struct {
	path, tree string
	// fault says why there is nothing to read at path: it is a folder that cannot be listed, or
	// errLink.
	fault error
}

// errLink is the fault of a link to a folder: what it leads to may be anywhere, also above it.
var errLink = errors.New("a link to a folder is not followed: give it as an argument")

// findModels returns the models in args. A directory, also one that a link in args leads to, stands
// for every IR and ONNX model below it in lexical order, except for hidden files and files in
// hidden directories.
func findModels(ctx context.Context, args []string) ([]modelFile, error) {
	var files []modelFile
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == stdinName || err != nil || !info.IsDir() {
			// A missing file is a finding.
			files = append(files, modelFile{path: arg, tree: filepath.Dir(arg)})
			continue
		}
		before := len(files)
		top := arg
		if info, err := os.Lstat(arg); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			top += string(filepath.Separator) // which makes it the folder, not the link
		}
		walk := modelWalk{ctx: ctx, arg: arg, top: top, files: files}
		if err := filepath.WalkDir(top, walk.visit); err != nil {
			return nil, err
		}
		files = walk.files
		if len(files) == before {
			return nil, usagef("no model is below %s", arg)
		}
	}
	return files, nil
}

// modelWalk collects the models below a folder.
type modelWalk struct {
	ctx      context.Context
	arg, top string // the folder as it was given, and as it is walked
	files    []modelFile
}

// visit is an fs.WalkDirFunc.
func (w *modelWalk) visit(path string, entry fs.DirEntry, err error) error {
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	if path != w.top && strings.HasPrefix(filepath.Base(path), ".") {
		if err == nil && entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	switch {
	case path != w.top && errors.Is(err, fs.ErrNotExist):
		// It has been removed in the meantime.
	case err != nil: // the models in other folders are read all the same
		w.files = append(w.files, modelFile{path, w.arg, err})
	case entry.Type()&fs.ModeSymlink != 0 && isFolder(path):
		w.files = append(w.files, modelFile{path, w.arg, errLink})
	case !entry.IsDir() && isModel(path):
		w.files = append(w.files, modelFile{path: path, tree: w.arg})
	}
	return nil
}

// isFolder reports whether path leads to a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// modelStart is the number of bytes at the start of a file in which isModel looks for <net.
const modelStart = 4096

// isModel reports whether a file is named like an ONNX model, or like an XML that starts like an IR
// or like a pointer of Git LFS to one, or that has a .bin beside it, whatever is left of it. It
// returns true for a file that cannot be opened, so that this is reported.
func isModel(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	if !slices.Contains(modelExtensions, ext) {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if ext == ".onnx" || hasBin(path) {
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

// hasBin reports whether the file that has the weights of the IR at path is there.
func hasBin(path string) bool {
	info, err := os.Stat(strings.TrimSuffix(path, filepath.Ext(path)) + ".bin")
	return err == nil && info.Mode().IsRegular()
}
