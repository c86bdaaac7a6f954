package attacks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// Each process is ended at these limits, so that an attack that works does not take the machine
// with it. They are far above those that the tests check.
const (
	mostAddresses = 6 << 20 // KiB of address space
	mostCPU       = 30      // seconds
	mostOutput    = 64 << 20
	mostTime      = 90 * time.Second // also ends a process that sleeps
)

// usage is what a process took and did.
type usage struct {
	cpu    time.Duration // user and system time, which the load of the machine hardly changes
	bytes  int64         // peak of the resident memory
	code   int
	ended  string // not empty if the process did not exit: how it ended
	output output
}

// start runs a program in a shell that sets the limits. environment is added to that of the test.
func start(t *testing.T, environment []string, program string, args ...string) usage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mostTime)
	defer cancel()
	limits := fmt.Sprintf(`ulimit -t %d; exec "$@"`, mostCPU)
	if !raceDetector { // which reserves more addresses
		limits = fmt.Sprintf(`ulimit -v %d 2>/dev/null; %s`, mostAddresses, limits)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", limits, "sh", program}, args...)...)
	cmd.Env = append(os.Environ(), environment...)
	u := usage{output: output{stop: cancel}}
	cmd.Stdout, cmd.Stderr = &u.output, &u.output
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	state := cmd.ProcessState
	u.cpu, u.bytes, u.code = state.UserTime()+state.SystemTime(), peak(state), state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		u.ended = status.Signal().String()
	}
	return u
}

// output takes the output of a process. It keeps the first bytes only, and looks for what must not
// be there in all of it.
type output struct {
	stop  func()
	bytes int64
	head  []byte
	rest  []byte // the end of what was seen, in case a word goes on
	found []string
}

// crashes are texts of a Go program that crashed, and of a panic that a package recovered.
var crashes = regexp.MustCompile(`BUG: |panic: |fatal error: |DATA RACE|goroutine \d+ \[`)

func (o *output) Write(p []byte) (int, error) {
	o.bytes += int64(len(p))
	if room := 16<<10 - len(o.head); room > 0 {
		o.head = append(o.head, p[:min(room, len(p))]...)
	}
	o.rest = append(o.rest, p...)
	for _, found := range crashes.FindAll(o.rest, 3) {
		o.find(string(found))
	}
	for i := 0; i < len(o.rest); {
		r, size := utf8.DecodeRune(o.rest[i:])
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			o.find(fmt.Sprintf("the control character %U", r))
		}
		i += size
	}
	if bytes.Contains(o.rest, []byte("\n"+forged)) {
		o.find("a line that the file has written")
	}
	for _, command := range []string{"##[", "##vso["} {
		if bytes.Contains(o.rest, []byte(command)) {
			o.find("a command to a build service, " + command)
		}
	}
	o.rest = append(o.rest[:0], o.rest[max(len(o.rest)-len(forged)-1, 0):]...)
	if o.bytes > mostOutput {
		o.stop()
	}
	return len(p), nil
}

// find records a text of the output that must not be there.
func (o *output) find(text string) {
	if len(o.found) < 5 {
		o.found = append(o.found, text)
	}
}

// forged is what names in a model have after a newline, to write a line of their own.
const forged = "FORGED 0 errors"
