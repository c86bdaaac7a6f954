package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// caseFolder creates a folder with an empty model.
func caseFolder(t *testing.T, elements ...string) string {
	t.Helper()
	dir := filepath.Join(elements...)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model.xml"), nil, 0o644))
	return dir
}

func TestParse(t *testing.T) {
	root := t.TempDir()
	a, b := caseFolder(t, root, "a"), caseFolder(t, root, "b")
	o, err := parse([]string{"-threads", "1,4", "-rounds", "3", "-markdown", root, b}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 4}, o.threads)
	assert.Equal(t, []string{a, b, b}, o.cases)
	assert.True(t, o.markdown)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "a CASE is needed"},
		{[]string{filepath.Join(root, "none")}, "there is no model.xml"},
		{[]string{"-threads", "1,", a}, `"" is not a number of threads`},
		{[]string{"-threads", "0", a}, `"0" is not a number of threads`},
		{[]string{"-rounds", "0", a}, "-rounds 0"},
		{[]string{"-seconds", "NaN", a}, "-seconds NaN"},
		{[]string{"-json", "-markdown", a}, "exclude each other"},
	} {
		_, err := parse(tt.args, io.Discard)
		assert.ErrorContains(t, err, tt.want, "%v", tt.args)
	}
}

// scripted returns an engine that returns the next element of timings for each run.
func scripted(name string, can bool, timings ...timing) engine {
	return engine{name, func(string) bool { return can }, func(context.Context, string, int, float64) (*timing, error) {
		if len(timings) == 0 {
			return nil, errors.New("no more")
		}
		t := timings[0]
		timings = timings[1:]
		return &t, nil
	}}
}

func TestMeasure(t *testing.T) {
	const mib = 1 << 20
	o := &options{threads: []int{2}, rounds: 2, seconds: 1, cases: []string{"x/net", "x/other"}}
	r, err := measure(context.Background(), o, []engine{
		scripted(vinoir, true,
			timing{ReadMS: 1, CompileMS: 2, FirstMS: 3, MinUS: 3000, PeakRSSBytes: 60 * mib},
			timing{ReadMS: 2, CompileMS: 2, FirstMS: 4, MinUS: 2000, PeakRSSBytes: 50 * mib},
			timing{MinUS: 1000, FirstMS: 1, PeakRSSBytes: 10 * mib}, timing{MinUS: 1000, FirstMS: 1, PeakRSSBytes: 10 * mib}),
		scripted(openVINO, true,
			timing{ReadMS: 10, CompileMS: 10, FirstMS: 10, MinUS: 2000, PeakRSSBytes: 200 * mib, BaseRSSBytes: 100 * mib, Version: "1.2"},
			timing{ReadMS: 10, CompileMS: 10, FirstMS: 4, MinUS: 4000, PeakRSSBytes: 210 * mib, BaseRSSBytes: 100 * mib, Version: "1.2"},
			timing{MinUS: 4000, FirstMS: 4, PeakRSSBytes: 40 * mib}, timing{MinUS: 4000, FirstMS: 4, PeakRSSBytes: 40 * mib}),
		scripted(onnxRuntime, false),
	}, io.Discard)
	require.NoError(t, err)
	require.Len(t, r.Rows, 2)
	q := r.Rows[0].Ratios[openVINO]
	assert.Equal(t, ratio{Value: 1, Low: 0.5, High: 1.5}, q.Latency)
	assert.InDelta(t, 0.25, q.Cold.Value, 1e-9)
	assert.InDelta(t, 0.25, q.Peak, 1e-9)
	assert.InDelta(t, 0.5, q.Grown, 1e-9)
	require.Len(t, r.Means, 1)
	assert.Equal(t, 2, r.Means[0].Cases)
	assert.InDelta(t, 0.5, r.Means[0].Latency, 1e-9, "the root of 1 and 1/4")
	assert.InDelta(t, 1, r.Means[0].Worst, 1e-9)

	r.Machine, r.Date = "M", "D"
	var text strings.Builder
	require.NoError(t, r.printMarkdown(&text))
	assert.Equal(t, `| network | threads | vinoir ms | OpenVINO ms | ratio | spread | vinoir cold ms | OpenVINO cold ms | ratio | vinoir peak MiB | OpenVINO peak MiB | ratio | OpenVINO growth MiB | ratio |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
| net | 2 | 2.00 | 2.00 | 1.00 | 0.50-1.50 | 6 | 24 | 0.25 | 50 | 200 | 0.25 | 100 | 0.50 |
| other | 2 | 1.00 | 4.00 | 0.25 | 0.25-0.25 | 1 | 4 | 0.25 | 10 | 40 | 0.25 |  |  |

M, OpenVINO 1.2, D: f32, the shortest of 2 rounds of 1 s turn by turn, each in a process of its own.
Cold is read, compile and first inference. Peak is the memory of the whole process. Growth is the peak without the memory that the process had before it read the model, with its libraries loaded; the ratio is that of vinoir's whole process to it. Spread is the smallest and the largest ratio of a round.
vinoir/OpenVINO on 2 threads, geometric mean of 2: latency 0.50 (worst 1.00), cold 0.25, peak memory 0.25.
`, text.String())
	text.Reset()
	require.NoError(t, r.printText(&text))
	assert.Regexp(t, `(?m)^ +net +2 +2\.00 +2\.00 +1\.00 +0\.50-1\.50`, text.String())
	text.Reset()
	require.NoError(t, r.printJSON(&text))
	var back report
	require.NoError(t, json.Unmarshal([]byte(text.String()), &back))
	assert.Equal(t, r.Rows[0].Ratios, back.Rows[0].Ratios)

	_, err = measure(context.Background(), o, []engine{scripted(vinoir, true)}, io.Discard)
	assert.ErrorContains(t, err, "x/net under vinoir: no more")
}

// TestTimed runs itself as the command.
func TestTimed(t *testing.T) {
	const variable = "NETBENCH_SAYS"
	if says, ok := os.LookupEnv(variable); ok {
		fmt.Println(says)
		os.Exit(len(says) % 2)
	}
	if err := exec.Command(os.Args[0], "-test.run", "^$").Run(); err != nil {
		t.Skip("under an emulator, or in a browser, a program cannot start itself: ", err)
	}
	says := func(text string) (*timing, error) {
		command := exec.Command(os.Args[0], "-test.run", "^TestTimed$")
		command.Env = append(os.Environ(), variable+"="+text)
		return timed(command)
	}
	got, err := says("a warning\n" + `{"min_us": 5, "read_ms": 1.5} `)
	require.NoError(t, err)
	assert.Equal(t, &timing{MinUS: 5, ReadMS: 1.5}, got)
	_, err = says(`{"min_us": 0 }`)
	assert.ErrorContains(t, err, "printed no time")
	_, err = says("{}")
	assert.ErrorContains(t, err, "printed no time")
	_, err = says("oops")
	assert.ErrorContains(t, err, `printed "oops`)
	_, err = says("odd")
	assert.ErrorContains(t, err, "exit status 1")
}
