// Package conformance runs cases: folders with a model, its inputs and the outputs
// that OpenVINO gave, and lines that say what OpenVINO infers for a model of
// other input shapes. Families' tests, the test of the whole corpus and the
// command line's conformance run the same cases through it.
//
// A case folder holds model.xml, model.bin, in/<i>.npy for input i in document
// order, out/<i>.npy for output i, and case.json: see caseFile. NumPy has no type
// for some of OpenVINO's; package npy says how a file holds them.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin"
)

// Outcome says how a case ended.
type Outcome string

// The outcomes of a case.
const (
	Passed      Outcome = "passed"
	Failed      Outcome = "failed"
	Unsupported Outcome = "unsupported" // the model needs a layer type that is not registered
	Crashed     Outcome = "crashed"     // a panic, or no end
	Excepted    Outcome = "excepted"    // failed as the file of exceptions says
)

// Result is the record of one case.
type Result struct {
	Case    string  `json:"case"`
	Outcome Outcome `json:"outcome"`
	// Message says what differed, what is missing, or why the case is excepted.
	Message string `json:"message,omitempty"`
	// Missing is the layer type that makes a case unsupported, the first of them.
	Missing      string  `json:"missing,omitempty"`
	Milliseconds float64 `json:"ms"`
}

// Runner runs cases.
type Runner struct {
	// Threads is the number of threads that a model may use.
	Threads int
	// Timeout is how long a case may take.
	Timeout    time.Duration
	Exceptions Exceptions

	registry *plugin.Registry
	core     *plugin.Core
}

// NewRunner returns a Runner of models of the given layer types.
func NewRunner(list ...ops.Op) (*Runner, error) {
	registry, err := plugin.NewRegistry(list...)
	if err != nil {
		return nil, err
	}
	return &Runner{
		Threads: 1, Timeout: time.Minute,
		registry: registry, core: plugin.NewCore(registry, plugin.Options{}),
	}, nil
}

// Run runs one case. It returns whatever the case does.
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
	// A case that does not heed its context is left behind a second later.
	select {
	case result = <-ended:
	case <-time.After(r.Timeout + time.Second):
		result = Result{Outcome: Crashed, Message: fmt.Sprintf("no end within %v", r.Timeout)}
	}
	if result.Outcome == Failed && ctx.Err() != nil {
		result = Result{Outcome: Crashed, Message: fmt.Sprintf("no end within %v: %s", r.Timeout, result.Message)}
	}
	result.Case = c.Name
	result.Milliseconds = float64(time.Since(started).Microseconds()) / 1000
	return r.Exceptions.apply(result)
}

// RunAll runs cases on so many workers, and returns their results in the order of
// the cases. done, if not nil, is called with each result as it comes, never
// concurrently.
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
		next <- i
	}
	close(next)
	wg.Wait()
	return results
}

// resultOf sorts the error of a case into an outcome.
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

func isUnsupported(err error) bool {
	var u validate.Unsupported
	return errors.As(err, &u) && u.Unsupported()
}

// isBug reports whether err is a panic that a package recovered.
func isBug(err error) bool { return strings.Contains(err.Error(), "BUG: ") }

// missing names the first layer type of err that no registry entry is for.
func missing(err error) string {
	var layer *plugin.UnsupportedLayerError
	if !errors.As(err, &layer) {
		return ""
	}
	return layer.Type + " of " + layer.Opset
}
