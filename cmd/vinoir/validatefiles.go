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

// findModels returns the models that args name: files, standard input, and every IR
// below a directory in lexical order, hidden files and directories left out.
func findModels(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == stdinName || err != nil || !info.IsDir() {
			paths = append(paths, arg) // that it does not exist is a finding
			continue
		}
		before := len(paths)
		err = filepath.WalkDir(arg, func(path string, entry fs.DirEntry, err error) error {
			hidden := strings.HasPrefix(entry.Name(), ".") && path != arg
			switch {
			case path != arg && errors.Is(err, fs.ErrNotExist):
				return nil // it was removed since
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

// modelStart is the length of the start of a file in which a <net> tells an IR.
const modelStart = 4096

// isModel reports whether an XML file is an IR, by its start; a file that cannot be
// opened is one, so that it is reported.
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
	// Zero bytes are those of UTF-16.
	start = bytes.ToLower(bytes.ReplaceAll(start[:n], []byte{0}, nil))
	return bytes.Contains(start, []byte("<net"))
}
