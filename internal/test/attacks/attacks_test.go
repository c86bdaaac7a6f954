// Package attacks runs models that were made to crash a program, to fill its memory or to keep it
// busy. Each runs in a process of its own, which must end in a result or an error, within limits of
// processor time and of memory.
package attacks

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
)

// Unless a run says otherwise, a process may take this much.
const (
	maxCPU    = time.Second
	maxBytes  = 256 << 20
	maxOutput = 16 << 20
	// maxOvershoot is the time from a deadline to the return of a call. The calls return within 100
	// ms where nothing else runs. On a busy machine they have to wait: the limit of processor time
	// is the stricter one.
	maxOvershoot = 10 * time.Second
)

// attack is a model and what is done with it.
type attack struct {
	name  string
	model func(m *model)
	// files are the files of the corpus with the same attack. zeros is the size of their .bin if
	// the corpus does not have it: it consists of zeros.
	files []string
	zeros int64
	runs  []run
	// races means that the attack also runs under the race detector.
	races bool
}

// run is what one process does: a command of vinoir, where @ stands for the path of the XML, or a
// job of the test program.
type run struct {
	args string
	job  job
	// seconds and bytes replace maxCPU and maxBytes if they are not 0.
	seconds float64
	bytes   int64
}

func (r *run) String() string {
	if r.args != "" {
		return strings.TrimSpace(strings.ReplaceAll(r.args, "@", ""))
	}
	return r.job.Until
}

func TestFindings(t *testing.T) { runAll(t, slices.Concat(findings, limitFindings)) }

// TestVariants runs all variants if exhaustiveVariable is set, otherwise some of each kind.
func TestVariants(t *testing.T) { runAll(t, variants()) }

// TestCorpusAttacks runs the very files of the findings.
func TestCorpusAttacks(t *testing.T) {
	corpus := optest.Corpus(t)
	l := prepare(t)
	for _, a := range slices.Concat(findings, limitFindings) {
		for _, file := range a.files {
			dir := t.TempDir()
			path := filepath.Join(dir, "model.xml")
			copyFile(t, filepath.Join(corpus, "attacks", file), path)
			bin := filepath.Join(dir, "model.bin")
			if a.zeros > 0 {
				require.NoError(t, os.WriteFile(bin, nil, 0o600))
				require.NoError(t, os.Truncate(bin, a.zeros))
			} else if original := strings.TrimSuffix(file, ".xml") + ".bin"; exists(filepath.Join(corpus, "attacks", original)) {
				copyFile(t, filepath.Join(corpus, "attacks", original), bin)
			}
			l.runs(t, file, a, path)
		}
	}
}

// runAll writes the model of each attack and runs it.
func runAll(t *testing.T, attacks []attack) {
	l := prepare(t)
	for _, a := range attacks {
		if raceDetector && !a.races {
			continue
		}
		path := filepath.Join(t.TempDir(), "model.xml")
		var m model
		a.model(&m)
		require.NoError(t, m.write(path))
		l.runs(t, a.name, a, path)
	}
}

// lab is what the processes need.
type lab struct {
	self, command string
	// factor is how much slower than the machine of the limits this one is; at least 1.
	factor float64
}

// runs runs the attack a on the model at path.
func (l *lab) runs(t *testing.T, name string, a attack, path string) {
	for _, r := range a.runs {
		t.Run(name+"/"+r.String(), func(t *testing.T) {
			t.Parallel()
			l.check(t, &r, path)
		})
	}
}

// check runs one process and checks what it did.
func (l *lab) check(t *testing.T, r *run, path string) {
	t.Helper()
	cpu, limit := maxCPU, int64(maxBytes)
	if r.seconds > 0 {
		cpu = time.Duration(r.seconds * float64(time.Second))
	}
	if r.bytes > 0 {
		limit = r.bytes
	}
	cpu = time.Duration(float64(cpu) * l.factor)
	u := l.start(t, r, path)
	// What else runs on the machine makes a process take more processor time, never less.
	for range 2 {
		if u.cpu > cpu && u.ended == "" && !raceDetector {
			u = l.start(t, r, path)
		}
	}
	output := string(u.output.head)
	summary := output[:min(len(output), 1000)]
	assert.Empty(t, u.ended, "the process was ended: %s", summary)
	assert.Contains(t, []int{0, 1, 2}, u.code, "exit code: %s", summary)
	assert.Empty(t, u.output.found, summary)
	assert.LessOrEqual(t, u.output.bytes, int64(maxOutput), "bytes of output")
	if raceDetector {
		return // it changes time and memory
	}
	assert.LessOrEqual(t, u.cpu, cpu, "processor time: %s", summary)
	assert.LessOrEqual(t, u.bytes, limit, "peak of memory")
	if r.job.Deadline > 0 && assert.Regexp(t, late, output, "the deadline has not ended the call") {
		ms, err := strconv.Atoi(late.FindStringSubmatch(output)[1])
		require.NoError(t, err)
		t.Logf("returned %d ms after the deadline", ms)
		assert.Less(t, time.Duration(ms)*time.Millisecond, maxOvershoot, "time from the deadline to the return")
	}
	t.Logf("%v, %d MiB, %d bytes of output: %.200q", u.cpu, u.bytes>>20, u.output.bytes, output)
}

// start runs the process of r.
func (l *lab) start(t *testing.T, r *run, path string) usage {
	t.Helper()
	if r.args != "" {
		// A regular file is copied, because --fix changes it. Nothing else is opened here: a pipe
		// waits.
		if info, err := os.Stat(path); strings.Contains(r.args, "--fix") && err == nil && info.Mode().IsRegular() {
			changed := filepath.Join(t.TempDir(), "model.xml")
			copyFile(t, path, changed)
			path = changed
		}
		args := strings.Fields(r.args)
		for i, arg := range args {
			args[i] = strings.ReplaceAll(arg, "@", path)
		}
		return start(t, nil, l.command, args...)
	}
	j := r.job
	j.Model = path
	return l.do(t, j)
}

var late = regexp.MustCompile(regexp.QuoteMeta(overshoot) + `(\d+)`)

// do runs a job in another process of this program.
func (l *lab) do(t *testing.T, j job) usage {
	t.Helper()
	text, err := json.Marshal(j)
	require.NoError(t, err)
	return start(t, []string{jobVariable + "=" + string(text)}, l.self)
}

// prepare builds the command and measures the machine. It skips the test where processes cannot be
// run or measured.
func prepare(t *testing.T) *lab {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: attacks run in whole test runs only, not with -short")
	}
	if !measurable {
		t.Skipf("SKIPPED: attacks are measured on linux and darwin only, not on %s", runtime.GOOS)
	}
	l, err := theLab()
	if err != nil {
		t.Skipf("SKIPPED: attacks need processes: %v", err)
	}
	if u := l.do(t, job{Until: "start"}); u.code != 0 || u.bytes > maxBytes/2 && !raceDetector {
		t.Skipf("SKIPPED: a process that does nothing ends with code %d and takes %d MiB: %s", u.code, u.bytes>>20, u.output.head)
	}
	l.factor = 1
	if u := l.do(t, job{Until: "count"}); u.cpu > standard && !raceDetector {
		l.factor = float64(u.cpu) / float64(standard)
		t.Logf("this machine is slow: processor time counts 1/%.1f", l.factor)
	}
	return l
}

// folder has the command. TestMain removes it.
var folder string

// theLab builds the command once.
var theLab = sync.OnceValues(func() (*lab, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if folder, err = os.MkdirTemp("", "attacks"); err != nil {
		return nil, err
	}
	command := filepath.Join(folder, "vinoir")
	out, err := exec.Command("go", "build", "-o", command, "github.com/vinoir/vinoir/cmd/vinoir").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go build: %w: %s", err, out)
	}
	return &lab{self: self, command: command}, nil
})

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, data, 0o600))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
