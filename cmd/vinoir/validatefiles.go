package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// findModels returns the paths of the models in args. A directory stands for every IR below it in
// lexical order, except for hidden files and files in hidden directories.
func findModels(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == stdinName || err != nil || !info.IsDir() {
			paths = append(paths, arg) // a missing file is a finding
			continue
		}
		before := len(paths)
		err = filepath.WalkDir(arg, func(path string, entry fs.DirEntry, err error) error {
			hidden := strings.HasPrefix(entry.Name(), ".") && path != arg
			switch {
			case path != arg && errors.Is(err, fs.ErrNotExist):
				return nil // it has been removed in the meantime
			case err != nil:
				return err
			case entry.IsDir() && hidden:
				return fs.SkipDir
			case !entry.IsDir() && !hidden && strings.EqualFold(filepath.Ext(path), ".xml") && isModel(path):
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(paths) == before {
			return nil, usagef("no model is below %s", arg)
		}
	}
	return paths, nil
}

// modelStart is the number of bytes at the start of a file in which isModel looks for <net.
const modelStart = 4096

// isModel reports whether the start of an XML file looks like an IR. It returns true for a file that
// cannot be opened, so that this is reported.
func isModel(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	start := make([]byte, modelStart)
	n, _ := io.ReadFull(file, start)
	// Without zero bytes, UTF-16 is searched like UTF-8.
	start = bytes.ToLower(bytes.ReplaceAll(start[:n], []byte{0}, nil))
	return bytes.Contains(start, []byte("<net"))
}
