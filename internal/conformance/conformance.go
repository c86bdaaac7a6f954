// Package conformance runs cases. A case is a folder with a model, its inputs and the outputs
// of OpenVINO, or a line with the shapes that OpenVINO infers for a model with other input
// shapes. Tests and the conformance command run cases with this package.
//
// A case folder has model.xml, model.bin, in/<i>.npy for input i in document order, out/<i>.npy
// for output i, and case.json: see caseFile. Package npy specifies how files represent element
// types that NumPy does not have.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin"
)

// Outcome is the outcome of a case.
type Outcome string

// The outcomes of a case.
const (
	Passed      Outcome = "passed"
	Failed      Outcome = "failed"
	Unsupported Outcome = "unsupported" // the model has a layer type that is not registered
	Crashed     Outcome = "crashed"     // a panic, or a timeout
	Excepted    Outcome = "excepted"    // failed, and listed in the file of exceptions
)

// Result is the result of a case.
type Result struct {
	Case    string  `json:"case"`
	Outcome Outcome `json:"outcome"`
	// Message describes the difference, what is missing, or why the case is excepted.
	Message string `json:"message,omitempty"`
	// Missing is the first layer type, or operator of another format, that is not supported.
	Missing      string  `json:"missing,omitempty"`
	Milliseconds float64 `json:"ms"`
}

// Runner runs cases.
type Runner struct {
	// Threads is the number of threads that a model may use.
	Threads int
	// ExecutionMode is the mode that models are compiled for.
	ExecutionMode plugin.ExecutionMode
	// DynamicQuantizationGroupSize is that of the models. NewRunner sets it to -1. With any other,
	// cases are held to rel_rms_fast if they have it.
	DynamicQuantizationGroupSize int
	// KVCachePrecision is that of the models. NewRunner sets it to F32. With any other, cases are
	// held to rel_rms_fast too.
	KVCachePrecision ir.ElementType
	// Timeout is the longest time that a case may take.
	Timeout    time.Duration
	Exceptions Exceptions

	list     []ops.Op
	registry *plugin.Registry
	core     *plugin.Core
}

// NewRunner returns a Runner for models of the given layer types.
func NewRunner(list ...ops.Op) (*Runner, error) {
	registry, err := plugin.NewRegistry(list...)
	if err != nil {
		return nil, err
	}
	return &Runner{
		Threads: 1, Timeout: time.Minute, DynamicQuantizationGroupSize: -1, KVCachePrecision: ir.F32,
		list: list, registry: registry, core: plugin.NewCore(registry, plugin.Options{}),
	}, nil
}

// Ops returns the layer types of the models.
func (r *Runner) Ops() []ops.Op { return r.list }

// Registry returns the registry of the layer types of the models.
func (r *Runner) Registry() *plugin.Registry { return r.registry }

// Core returns what compiles the models.
func (r *Runner) Core() *plugin.Core { return r.core }

// CompileOptions returns the options that models are compiled with.
func (r *Runner) CompileOptions() plugin.CompileOptions {
	return plugin.CompileOptions{
		InferenceNumThreads: r.Threads, ExecutionMode: r.ExecutionMode, DynamicQuantizationGroupSize: r.DynamicQuantizationGroupSize,
		KVCachePrecision: r.KVCachePrecision,
	}
}

// Run runs one case. It returns a Result even if the case panics or does not end.
func (r *Runner) Run(ctx context.Context, c Case) Result {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	started := time.Now()
	ended := make(chan Result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				ended <- Result{Outcome: Crashed, Message: fmt.Sprintf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		ended <- resultOf(c.run(ctx, r))
	}()
	var result Result
	select {
	case result = <-ended:
	case <-ctx.Done():
		// If the case ignores the end of its context, it is abandoned after another second.
		select {
		case result = <-ended:
		case <-time.After(time.Second):
			result = Result{Outcome: Crashed, Message: fmt.Sprintf("no end within %v", r.Timeout)}
		}
	}
	if result.Outcome == Failed && ctx.Err() != nil {
		result = Result{Outcome: Crashed, Message: fmt.Sprintf("no end within %v: %s", r.Timeout, result.Message)}
	}
	result.Case = c.Name
	result.Milliseconds = float64(time.Since(started).Microseconds()) / 1000
	return r.Exceptions.apply(result)
}

// RunAll runs cases on the given number of workers, and returns their results in the order of
// the cases. If done is not nil, it is called with each result as soon as it is known, never
// concurrently. After the end of ctx, cases are not started, and have an empty Result.
func (r *Runner) RunAll(ctx context.Context, cases []Case, workers int, done func(Result)) []Result {
	results := make([]Result, len(cases))
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range max(workers, 1) {
		wg.Go(func() {
			for i := range next {
				results[i] = r.Run(ctx, cases[i])
				if done != nil {
					mu.Lock()
					done(results[i])
					mu.Unlock()
				}
			}
		})
	}
	for i := range cases {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	wg.Wait()
	return results
}

// resultOf returns the Result for the error of a case.
func resultOf(err error) Result {
	switch {
	case err == nil:
		return Result{Outcome: Passed}
	case isBug(err):
		return Result{Outcome: Crashed, Message: err.Error()}
	case isUnsupported(err):
		return Result{Outcome: Unsupported, Message: err.Error(), Missing: missing(err)}
	}
	return Result{Outcome: Failed, Message: err.Error()}
}

// isUnsupported reports whether err is about a layer type that is not supported.
func isUnsupported(err error) bool {
	var u validate.Unsupported
	return errors.As(err, &u) && u.Unsupported()
}

// isBug reports whether err is a panic that a package recovered.
func isBug(err error) bool { return strings.Contains(err.Error(), "BUG: ") }

// missing returns the first layer type of err that is not registered, or what a front end lacks
// first.
func missing(err error) string {
	var lacks interface{ Missing() string }
	if errors.As(err, &lacks) {
		return lacks.Missing()
	}
	var layer *plugin.UnsupportedLayerError
	if !errors.As(err, &layer) {
		return ""
	}
	return layer.Type + " of " + layer.Opset
}
