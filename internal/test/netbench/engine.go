package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// timing is the output of one run of an engine, with the field names of vinoir benchmark.
// BaseRSSBytes is the memory of the process before it reads the model: that of an interpreter
// and its libraries.
type timing struct {
	ReadMS       float64 `json:"read_ms"`
	CompileMS    float64 `json:"compile_ms"`
	FirstMS      float64 `json:"first_ms"`
	MinUS        float64 `json:"min_us"`
	PeakRSSBytes float64 `json:"peak_rss_bytes"`
	BaseRSSBytes float64 `json:"base_rss_bytes"`
	Version      string  `json:"version"`
}

// engine measures a case in a separate process. can reports whether it supports a case.
type engine struct {
	name string
	can  func(folder string) bool
	run  func(ctx context.Context, folder string, threads int, seconds float64) (*timing, error)
}

// The names of the engines.
const (
	vinoir      = "vinoir"
	openVINO    = "OpenVINO"
	onnxRuntime = "ONNX Runtime"
)

//go:embed openvino.py
var openVINOProgram string

//go:embed onnxruntime.py
var onnxRuntimeProgram string

// startEngines returns the engines, vinoir first. done removes temporary files.
func startEngines(ctx context.Context, o *options) (engines []engine, done func(), err error) {
	done = func() {}
	command := o.vinoir
	if command == "" {
		dir, err := os.MkdirTemp("", "netbench")
		if err != nil {
			return nil, nil, err
		}
		done = func() { os.RemoveAll(dir) }
		command = filepath.Join(dir, "vinoir")
		build := exec.CommandContext(ctx, "go", "build", "-o", command, "github.com/vinoir/vinoir/cmd/vinoir")
		if _, err := output(build); err != nil {
			done()
			return nil, nil, err
		}
	}
	always := func(string) bool { return true }
	engines = []engine{{vinoir, always, func(ctx context.Context, folder string, threads int, seconds float64) (*timing, error) {
		return timed(exec.CommandContext(ctx, command, "benchmark", filepath.Join(folder, "model.xml"), "--json",
			"--in-dir", filepath.Join(folder, "in"), "--threads", strconv.Itoa(threads), "--seconds", fmt.Sprint(seconds)))
	}}}
	if o.python != "" {
		engines = append(engines, engine{openVINO, always, o.pythonRun(openVINOProgram)})
	}
	if o.onnxRuntime {
		engines = append(engines, engine{onnxRuntime, func(folder string) bool {
			_, err := os.Stat(filepath.Join(folder, "model.onnx"))
			return err == nil
		}, o.pythonRun(onnxRuntimeProgram)})
	}
	return engines, done, nil
}

// pythonRun returns an engine.run for a Python program.
func (o *options) pythonRun(program string) func(context.Context, string, int, float64) (*timing, error) {
	return func(ctx context.Context, folder string, threads int, seconds float64) (*timing, error) {
		return timed(exec.CommandContext(ctx, o.python, "-c", program, folder, strconv.Itoa(threads), fmt.Sprint(seconds)))
	}
}

// timed runs a command and decodes the last line of its output.
func timed(command *exec.Cmd) (*timing, error) {
	text, err := output(command)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	t := &timing{}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), t); err != nil {
		return nil, fmt.Errorf("%s printed %q: %w", command.Path, text, err)
	}
	if t.MinUS <= 0 {
		return nil, fmt.Errorf("%s printed no time: %q", command.Path, text)
	}
	return t, nil
}

// output runs a command and returns its standard output. The error includes its standard error.
func output(command *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w", command.Path, err), errors.New(strings.TrimSpace(stderr.String())))
	}
	return stdout.String(), nil
}

// thisMachine describes the machine and the Go version.
func thisMachine() string {
	model := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s, %s", model, runtime.NumCPU(), runtime.GOOS, runtime.Version())
}
