package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// resultLog holds the results of earlier runs, and the file that they are kept in.
type resultLog struct {
	known map[string]result // by mutant.key

	lock sync.Mutex
	file *os.File // nil if results are not kept
}

// openLog reads a log and opens it for more results. Without a path nothing is kept.
func openLog(path string) (*resultLog, error) {
	l := &resultLog{known: map[string]result{}}
	if path == "" {
		return l, nil
	}
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if key, r, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			l.known[key] = result(r)
		}
	}
	l.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return l, err
}

// add adds a result.
func (l *resultLog) add(m *mutant, r result) error {
	if l.file == nil {
		return nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	_, err := fmt.Fprintf(l.file, "%s\t%s\n", m.key(), r)
	return err
}
