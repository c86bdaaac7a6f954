package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/vinoir/vinoir/ir"
)

//go:embed openvino.py
var program string

// An array describes a tensor whose bytes are in a file. Strings are in the description.
type array struct {
	Type    string   `json:"type"`
	Shape   ir.Shape `json:"shape"`
	Strings []string `json:"strings"`
}

// A request is what the program is asked.
type request struct {
	Folder    string  `json:"folder"`
	Inputs    []array `json:"inputs"`
	Reference bool    `json:"reference"`
}

// A response is what the program answers.
type response struct {
	Version string  `json:"version"`
	Outputs []array `json:"outputs"`
	Stage   string  `json:"stage"`
	Error   string  `json:"error"`
}

// errDied means that a model ended the process of OpenVINO, or that it did not answer in time.
var errDied = errors.New("OpenVINO died")

// openVINO is a process that runs models until one of them ends it. Then the next model gets a new
// process.
type openVINO struct {
	// command returns the command that speaks the protocol of openvino.py.
	command func() *exec.Cmd
	// patience is how long a model may take.
	patience time.Duration

	process *exec.Cmd
	stdin   io.WriteCloser
	answers chan response // closed when the process ends
	stop    context.CancelFunc
}

// pythonCommand returns a command for openVINO.
func pythonCommand(python string) func() *exec.Cmd {
	return func() *exec.Cmd { return exec.Command(python, "-c", program) }
}

// start starts a process, and waits until it answers.
func (o *openVINO) start() error {
	cmd := o.command()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	o.process, o.stdin, o.stop, o.answers = cmd, stdin, stop, make(chan response)
	go receive(ctx, stdout, o.answers)
	if _, err := o.next(time.Minute); err != nil {
		return fmt.Errorf("%s: %w", cmd.Path, err)
	}
	return nil
}

// receive sends the answers of a process.
func receive(ctx context.Context, stdout io.Reader, answers chan<- response) {
	defer close(answers)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r response
		if json.Unmarshal(line, &r) != nil {
			return
		}
		select {
		case answers <- r:
		case <-ctx.Done():
			return
		}
	}
}

// next returns the next answer. If there is none, it ends the process.
func (o *openVINO) next(patience time.Duration) (*response, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r, ok := <-o.answers:
		if ok {
			return &r, nil
		}
		return nil, fmt.Errorf("%w: %v", errDied, o.close())
	case <-timer.C:
		_ = o.close()
		return nil, fmt.Errorf("%w: no answer in %v", errDied, patience)
	}
}

// close ends the process, and returns how it ended.
func (o *openVINO) close() error {
	if o.process == nil {
		return nil
	}
	o.stdin.Close()
	o.stop()
	select {
	case <-o.answers: // it has ended, or it waits for the next request
	default:
	}
	_ = o.process.Process.Kill()
	err := o.process.Wait()
	o.process = nil
	return err
}

// run runs the model in folder. The error is errDied, that of a refusal, or one of files.
func (o *openVINO) run(folder string, inputs []*ir.Tensor, reference bool) ([]*ir.Tensor, error) {
	r := request{Folder: folder, Inputs: make([]array, len(inputs)), Reference: reference}
	for i, t := range inputs {
		r.Inputs[i] = array{Type: t.ElementType().String(), Shape: append(ir.Shape{}, t.Shape()...), Strings: t.Strings()}
		if err := os.WriteFile(filepath.Join(folder, "in_"+strconv.Itoa(i)), t.Bytes(), 0o644); err != nil {
			return nil, err
		}
	}
	if o.process == nil {
		if err := o.start(); err != nil {
			return nil, err
		}
	}
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	// If it cannot be written, the process has ended, which next finds.
	_, _ = o.stdin.Write(append(line, '\n'))
	answer, err := o.next(o.patience)
	if err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, &refusal{answer.Stage, answer.Error}
	}
	outputs := make([]*ir.Tensor, len(answer.Outputs))
	for i, a := range answer.Outputs {
		if outputs[i], err = a.tensor(filepath.Join(folder, "out_"+strconv.Itoa(i))); err != nil {
			return nil, fmt.Errorf("output %d of OpenVINO: %w", i, err)
		}
	}
	return outputs, nil
}

// A refusal is an error of a model.
type refusal struct{ stage, text string }

func (r *refusal) Error() string { return r.stage + ": " + r.text }

// tensor reads the tensor that a describes.
func (a *array) tensor(file string) (*ir.Tensor, error) {
	t, err := ir.ParseElementType(a.Type)
	if err != nil {
		return nil, err
	}
	if t == ir.String {
		tensor, err := ir.NewTensor(t, a.Shape...)
		if err == nil {
			copy(tensor.Strings(), a.Strings)
		}
		return tensor, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ir.UnalignedTensor(t, a.Shape, data)
}
