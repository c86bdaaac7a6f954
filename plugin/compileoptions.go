package plugin

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/passes"
)

// CompileOptions are OpenVINO's properties of a compiled model, under their
// names. The zero value is the default of each.
type CompileOptions struct {
	// PerformanceHint sets NumStreams where that is 0.
	PerformanceHint PerformanceHint
	// InferenceNumThreads is the number of threads that all InferRequests of the
	// CompiledModel use together for the parts of layers; each Infer works on its
	// caller's goroutine too. 0 means GOMAXPROCS.
	InferenceNumThreads int
	// NumStreams is the number of thread pools that the InferRequests take turns
	// to be given: with as many streams as threads, each Infer runs on its
	// caller's goroutine alone. 0 leaves it to PerformanceHint.
	NumStreams int
	// EnableProfiling makes InferRequests measure the time of each layer, for
	// ProfilingInfo.
	EnableProfiling bool
	// Reshape gives inputs other shapes than the model's, as ir.Model.Reshape does.
	Reshape map[string]ir.PartialShape
	// Passes are the rewrites of the model; nil means passes.All(), an empty
	// list none.
	Passes []passes.Pass
}

func (o *CompileOptions) has(pass passes.Pass) bool {
	return slices.ContainsFunc(o.Passes, func(p passes.Pass) bool { return p.Name == pass.Name })
}

// PerformanceHint says what to compile a model for.
type PerformanceHint uint8

const (
	// PerformanceHintLatency gives all threads to each Infer.
	PerformanceHintLatency PerformanceHint = iota
	// PerformanceHintThroughput gives one thread to each Infer, for programs that
	// run as many InferRequests at once as there are threads.
	PerformanceHintThroughput
	// PerformanceHintCumulativeThroughput is PerformanceHintThroughput, as there is
	// one device.
	PerformanceHintCumulativeThroughput
)

// String returns OpenVINO's name of h.
func (h PerformanceHint) String() string {
	switch h {
	case PerformanceHintLatency:
		return "LATENCY"
	case PerformanceHintThroughput:
		return "THROUGHPUT"
	case PerformanceHintCumulativeThroughput:
		return "CUMULATIVE_THROUGHPUT"
	}
	return fmt.Sprintf("PerformanceHint(%d)", uint8(h))
}

// withDefaults replaces the zero values.
func (o CompileOptions) withDefaults() (CompileOptions, error) {
	switch {
	case o.InferenceNumThreads < 0:
		return o, fmt.Errorf("InferenceNumThreads is %d, not 0 or more", o.InferenceNumThreads)
	case o.NumStreams < 0:
		return o, fmt.Errorf("NumStreams is %d, not 0 or more", o.NumStreams)
	case o.PerformanceHint > PerformanceHintCumulativeThroughput:
		return o, fmt.Errorf("%v is not a performance hint", o.PerformanceHint)
	}
	if o.InferenceNumThreads == 0 {
		o.InferenceNumThreads = runtime.GOMAXPROCS(0)
	}
	if o.NumStreams == 0 {
		o.NumStreams = 1
		if o.PerformanceHint != PerformanceHintLatency {
			o.NumStreams = o.InferenceNumThreads
		}
	}
	o.NumStreams = min(o.NumStreams, o.InferenceNumThreads)
	if o.Passes == nil {
		o.Passes = passes.All()
	}
	return o, nil
}
