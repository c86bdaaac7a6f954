package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
)

// maxLinesBytes bounds the text that a command reads at once.
const maxLinesBytes = 1 << 30

// readLines returns the lines of files, without their ends; of standard input if there is no file
// or its name is -.
func (a *app) readLines(paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{stdinName}
	}
	var lines []string
	left := int64(maxLinesBytes)
	for _, path := range paths {
		data, err := a.readText(path, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(data))
		for line := range bytes.Lines(data) {
			lines = append(lines, strings.TrimRight(string(line), "\r\n"))
		}
	}
	return lines, nil
}

// readText returns the text of a file or of standard input.
func (a *app) readText(path string, limit int64) ([]byte, error) {
	if path != stdinName {
		return regular.ReadFile(path, limit)
	}
	data, err := io.ReadAll(io.LimitReader(a.stdin, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = faults.Errorf("standard input is larger than %d bytes", limit)
	}
	return data, err
}
