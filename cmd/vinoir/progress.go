package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// progress shows on a terminal how many of total items are done.
type progress struct {
	terminal    io.Writer // nil if there is no terminal: nothing is shown
	total, done int
	width       int       // length of the line that is shown
	shown       time.Time // when it was shown
}

// progressInterval is the least time between two updates of the line.
const progressInterval = 100 * time.Millisecond

func newProgress(stderr io.Writer, total int) *progress {
	p := &progress{total: total}
	if isTerminal(stderr) {
		p.terminal = stderr
	}
	return p
}

// add counts one more item as done.
func (p *progress) add() {
	p.done++
	if p.terminal == nil || time.Since(p.shown) < progressInterval {
		return
	}
	line := fmt.Sprintf("%d/%d", p.done, p.total)
	fmt.Fprint(p.terminal, "\r", line)
	p.width, p.shown = len(line), time.Now()
}

// clear removes the line, so that other text can be printed.
func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprint(p.terminal, "\r", strings.Repeat(" ", p.width), "\r")
		p.width = 0
	}
}

// isTerminal reports whether w writes to a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
