package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// equivalent describes mutants that no test can kill.
type equivalent struct {
	file string // path from the folder that mutate runs in, with slashes
	text string // the line of source, without the space around it
	what string // mutant.what
	next string // mutant.next, or "" if it does not matter
	line int    // the line of the list
}

// readEquivalents reads a list of equivalent mutants. Each is a line of fields, separated by
// "  |  ": the file, the line of source and the change, and, for a line such as "if err != nil {"
// that the file has several times, the line after it. Lines that start with # give the reasons.
// The line of source is given by its text, so that the list stays valid while lines move.
func readEquivalents(path string) (list []equivalent, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "  |  ")
		if len(fields) != 3 && len(fields) != 4 {
			return nil, fmt.Errorf("%s:%d has %d fields, not 3 or 4", path, n, len(fields))
		}
		e := equivalent{file: fields[0], text: fields[1], what: fields[2], line: n}
		if len(fields) == 4 {
			e.next = fields[3]
		}
		list = append(list, e)
	}
	return list, nil
}

// matches reports whether e describes m.
func (e equivalent) matches(m *mutant) bool {
	return e.what == m.what && e.text == m.text && (e.next == "" || e.next == m.next) && strings.HasSuffix(filepath.ToSlash(m.file.path), e.file)
}
