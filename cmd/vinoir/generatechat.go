package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// chat answers the lines of standard input, until the last one or /exit. The first message is
// prompt, unless it is empty.
func (g *generator) chat(ctx context.Context, system, prompt string) error {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	// The end of ctx is an interrupt, too, and would end all answers that follow.
	c := &conversation{generator: g, system: system, interrupts: interrupts}
	return c.run(context.WithoutCancel(ctx), prompt)
}

// conversation is a chat in a terminal or over a pipe.
type conversation struct {
	*generator
	system     string
	interrupts <-chan os.Signal
}

// maxLine bounds a message.
const maxLine = 1 << 20

// errStopped ends an answer, and errInterrupted the chat.
var (
	errStopped     = errors.New("the answer was stopped")
	errInterrupted = errors.New("interrupted")
)

// run answers prompt and the lines of standard input.
func (c *conversation) run(ctx context.Context, prompt string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fprintf(c.stderr, "Each line is a message. /reset begins anew, /exit ends; an interrupt (Ctrl-C) ends the answer, and a second one the chat.\n")
	if prompt != "" {
		if err := c.turn(ctx, prompt); err != nil {
			return err
		}
	}
	lines, failed := make(chan string), make(chan error, 1)
	go func() { failed <- readLines(ctx, c.stdin, lines) }()
	for {
		c.ask()
		select {
		case line := <-lines:
			if end, err := c.accept(ctx, line); end || err != nil {
				return err
			}
		case err := <-failed:
			c.endLine()
			return err
		case <-c.interrupts:
			c.endLine()
			return errInterrupted
		}
	}
}

// ask shows that a message is expected, on a terminal.
func (c *conversation) ask() {
	if isTerminal(c.stderr) {
		fprintf(c.stderr, "> ")
	}
}

// endLine ends the line in which a message was expected, on a terminal.
func (c *conversation) endLine() {
	if isTerminal(c.stderr) {
		fprintf(c.stderr, "\n")
	}
}

// readLines sends the lines of r until its end, or the end of ctx.
func readLines(ctx context.Context, r io.Reader, lines chan<- string) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		select {
		case lines <- scanner.Text():
		case <-ctx.Done():
			return nil
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return faults.Errorf("a message has more than %d bytes", maxLine)
	} else if err != nil {
		return err
	}
	return nil
}

// accept answers a line. It returns true if it ends the chat.
func (c *conversation) accept(ctx context.Context, line string) (end bool, err error) {
	switch text := strings.TrimSpace(line); {
	case text == "":
		return false, nil
	case text == "/exit":
		return true, nil
	case text == "/reset":
		c.talk, err = c.pipeline.NewChat(c.system)
		return false, err
	case strings.HasPrefix(text, "/"):
		fprintf(c.stderr, "%s is neither /reset nor /exit\n", text)
		return false, nil
	}
	return false, c.turn(ctx, line)
}

// turn answers a message. An interrupt ends the answer: what was printed of it stays in the
// conversation, and if nothing was, the message does not. A message that cannot be answered, such
// as one that is too long, is an error that is printed, and the chat goes on.
func (c *conversation) turn(ctx context.Context, message string) error {
	answering, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done, stopped := make(chan struct{}), make(chan struct{})
	defer close(done)
	c.stopped = stopped
	c.begun.Store(false)
	go func() {
		select {
		case <-c.interrupts:
			close(stopped)
			if !c.begun.Load() {
				cancel(errStopped)
			}
		case <-done:
			return
		}
		select {
		case <-c.interrupts:
			cancel(errInterrupted)
		case <-done:
		}
	}()
	_, err := c.answer(answering, message)
	cause := context.Cause(answering)
	switch {
	case cause == errInterrupted:
		return cause
	case err == nil || cause == errStopped:
		return nil
	case ctx.Err() != nil || errors.Is(err, errOutput):
		return err
	}
	printError(c.stderr, err)
	return nil
}
