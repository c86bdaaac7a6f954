package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// tester runs the tests of one package and of those that also test it.
type tester struct {
	pkg    goPackage
	flags  []string // for go test
	suites []suite  // the packages to test, in this order
	// for each file, the blocks of code, and whether a test runs them
	ran map[string]map[block]bool
}

// suite is the tests of a package.
type suite struct {
	pkg     string
	timeout time.Duration
}

// newTester tests the package without a change. That gives the limit of time, and the code that
// tests run.
func newTester(ctx context.Context, o *options, p goPackage) (*tester, error) {
	t := &tester{pkg: p, ran: map[string]map[block]bool{}}
	// The limit of processor time ends a test that the limit of go test cannot end.
	const limited = `sh -c 'ulimit -v %d; ulimit -t %d; exec "$0" "$@"'`
	t.flags = []string{"test", "-vet=off", "-count=1", "-failfast", "-tags", o.tags}
	if o.short {
		t.flags = append(t.flags, "-short")
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	profile := filepath.Join(dir, "cover")
	for _, name := range append([]string{p.ImportPath}, strings.Fields(o.tests)...) {
		start := time.Now()
		if out, err := t.run(ctx, suite{pkg: name, timeout: time.Hour}, "-coverpkg="+p.ImportPath, "-coverprofile="+profile); err != nil {
			return nil, fmt.Errorf("the tests of %s fail without a change: %w\n%s", name, err, out)
		}
		// Other programs may use the machine.
		t.suites = append(t.suites, suite{pkg: name, timeout: 10*time.Second + 4*time.Since(start)})
		if err := t.cover(profile); err != nil {
			return nil, err
		}
	}
	longest := time.Duration(0)
	for _, s := range t.suites {
		longest = max(longest, s.timeout)
	}
	t.flags = append(t.flags, "-exec", fmt.Sprintf(limited, o.megabytes<<10, int(2*longest.Seconds())))
	return t, nil
}

// block is a piece of source in a profile. It ends before the last line and column.
type block struct{ line, column, lastLine, lastColumn int }

func (b block) contains(m *mutant) bool {
	starts := b.line < m.line || b.line == m.line && b.column <= m.column
	return starts && (m.line < b.lastLine || m.line == b.lastLine && m.column < b.lastColumn)
}

// cover adds the counts of a profile.
func (t *tester) cover(profile string) error {
	data, err := os.ReadFile(profile)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		// import/path/file.go:12.34,56.78 2 1
		name, rest, _ := strings.Cut(line, ":")
		var b block
		var statements, count int
		_, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.line, &b.column, &b.lastLine, &b.lastColumn, &statements, &count)
		if err != nil {
			continue // the first line, "mode: set"
		}
		file := path.Base(name)
		if t.ran[file] == nil {
			t.ran[file] = map[block]bool{}
		}
		t.ran[file][b] = t.ran[file][b] || count > 0
	}
	return nil
}

// runs reports whether a test runs the code that m changes. Code outside of functions is not in
// profiles.
func (t *tester) runs(m *mutant) bool {
	missed := false
	for b, ran := range t.ran[filepath.Base(m.file.path)] {
		if b.contains(m) {
			if ran {
				return true
			}
			missed = true
		}
	}
	return !missed
}

// run runs the tests of a package and returns what they print.
func (t *tester) run(ctx context.Context, s suite, flags ...string) ([]byte, error) {
	args := append(t.flags[:len(t.flags):len(t.flags)], "-timeout", s.timeout.String())
	cmd := exec.CommandContext(ctx, "go", append(append(args, flags...), s.pkg)...)
	return cmd.CombinedOutput()
}

// test tests a mutant.
func (t *tester) test(ctx context.Context, m *mutant) (result, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {m.file.path: changed}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(changed, m.source(), 0o644), os.WriteFile(overlay, replaced, 0o644)); err != nil {
		return "", err
	}
	if !t.runs(m) {
		build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, t.pkg.ImportPath)
		if build.Run() != nil {
			return notCompiled, ctx.Err()
		}
		return notCovered, ctx.Err()
	}
	for _, s := range t.suites {
		out, err := t.run(ctx, s, "-overlay", overlay)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil:
		case bytes.Contains(out, []byte("[build failed]")):
			return notCompiled, nil
		case bytes.Contains(out, []byte("panic: test timed out")), bytes.Contains(out, []byte("signal: killed")):
			return timedOut, nil
		default:
			return killed, nil
		}
	}
	return survived, nil
}
