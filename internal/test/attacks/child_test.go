package attacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// jobVariable is the environment variable with the job of a child process, as JSON.
const jobVariable = "VINOIR_ATTACKS_JOB"

// job is what a child process does with a model.
type job struct {
	Model string
	// Until is the last stage: "start", "count", "read", "validate", "compile", "infer",
	// "outputs" or "race".
	Until  string
	Limits plugin.Options
	// Threads is InferenceNumThreads; 0 means 1.
	Threads int
	// Deadline is the time that CompileModel and Infer each have; 0 means no deadline.
	Deadline time.Duration
	// Lengths are the lengths of the last axis of all inputs in one inference each. The other
	// unknown lengths are 1. Without Lengths, there is one inference.
	Lengths []int
}

// TestMain runs the job of a child process, or the tests.
func TestMain(m *testing.M) {
	text, ok := os.LookupEnv(jobVariable)
	if !ok {
		code := m.Run()
		if folder != "" {
			os.RemoveAll(folder)
		}
		os.Exit(code)
	}
	var j job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = j.run()
	}
	if err != nil {
		fmt.Printf("%q\n", err) // as one line
		os.Exit(1)
	}
	fmt.Println("done")
}

// run runs the stages one after another.
func (j *job) run() error {
	switch j.Until {
	case "start":
		return nil
	case "count":
		count()
		return nil
	}
	m, err := irxml.ReadFile(j.Model, irxml.ReadOptions{})
	if err != nil || j.Until == "read" {
		return err
	}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		return err
	}
	if j.Until == "validate" {
		report, err := validate.Model(context.Background(), m, registry, nil)
		if err != nil {
			return err
		}
		for _, finding := range report.Findings {
			fmt.Println(finding.String())
		}
		return nil
	}
	var compiled *plugin.CompiledModel
	options := plugin.CompileOptions{InferenceNumThreads: max(j.Threads, 1)}
	err = j.within(func(ctx context.Context) (err error) {
		compiled, err = plugin.NewCore(registry, j.Limits).CompileModel(ctx, m, options)
		return err
	})
	if err != nil || j.Until == "compile" {
		return err
	}
	request := compiled.NewInferRequest()
	if j.Until == "race" {
		return race(request)
	}
	if j.Lengths == nil {
		return j.infer(compiled, request, -1)
	}
	for _, n := range j.Lengths {
		if err := j.infer(compiled, request, n); err != nil {
			return err
		}
	}
	return nil
}

// infer infers with inputs of ones whose last length is n if n is not negative.
func (j *job) infer(compiled *plugin.CompiledModel, request *plugin.InferRequest, n int) error {
	for i, input := range compiled.Inputs() {
		shape := make(ir.Shape, input.Shape.Rank())
		for k, d := range input.Shape.Dims() {
			shape[k] = int(max(d.Min, 0))
			if d.IsDynamic() {
				shape[k] = 1
			}
		}
		if n >= 0 {
			shape[len(shape)-1] = n
		}
		t, err := ir.NewTensor(input.Type, shape...)
		if err != nil {
			return err
		}
		if t.ElementType() == ir.F32 {
			data := ir.Data[float32](t)
			for k := range data {
				data[k] = 1
			}
		}
		if err := request.SetInput(i, t); err != nil {
			return err
		}
	}
	return j.within(func(ctx context.Context) error {
		if err := request.Infer(ctx); err != nil || j.Until != "outputs" {
			return err
		}
		_, err := request.CopyOutputs(ctx)
		return err
	})
}

// within calls f with the deadline, and prints how long after it f returned.
func (j *job) within(f func(context.Context) error) error {
	if j.Deadline == 0 {
		return f(context.Background())
	}
	end := time.Now().Add(j.Deadline)
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	err := f(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Printf("%s%d\n", overshoot, time.Since(end).Milliseconds())
	}
	return err
}

// overshoot is the text before the milliseconds from the deadline to the return of a call.
const overshoot = "ms after the deadline: "

// race uses one request on several goroutines, which callers must not do, but which must not
// crash.
func race(request *plugin.InferRequest) error {
	var inputs []*ir.Tensor
	for _, n := range []int{1, 16} {
		t, err := ir.NewTensor(ir.F32, n, n*n+1)
		if err != nil {
			return err
		}
		inputs = append(inputs, t)
	}
	const rounds = 20_000
	var wg sync.WaitGroup
	var mu sync.Mutex
	var bug error
	repeat := func(f func(i int) error) {
		wg.Go(func() {
			for i := range rounds {
				if err := f(i); err != nil && crashes.MatchString(err.Error()) {
					mu.Lock()
					bug = err
					mu.Unlock()
				}
			}
		})
	}
	background := context.Background()
	setInput := func(i int) error { return request.SetInput(0, inputs[i%2]) }
	run := func(int) error { return request.Infer(background) }
	repeat(setInput)
	repeat(run)
	wg.Wait()
	repeat(setInput)
	repeat(run)
	repeat(func(int) error { request.Output(0); request.Input(0); request.ProfilingInfo(); return nil })
	repeat(func(i int) error { return request.SetOutput(0, nil) })
	repeat(func(int) error { return request.StartAsync(background) })
	repeat(func(int) error { return request.Wait(background) })
	wg.Wait()
	return bug
}

// standard is the longest processor time of count on a machine that the limits are made for.
const standard = 500 * time.Millisecond

// count does a fixed amount of work.
func count() {
	x := uint32(1)
	for range 1 << 28 {
		x = x*1664525 + 1013904223
	}
	fmt.Println(x)
}
