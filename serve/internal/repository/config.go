package repository

import (
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// Config says how a model is served. Zero fields mean that nothing was said.
type Config struct {
	Versions Policy
	// File is the name of the model's file in the folder of a version; empty means the only one.
	File string
	// MaxBatchSize is the most rows of a request, and of several that are joined: the shapes of
	// Inputs and Outputs are then without the rows. 0 means that shapes are whole.
	MaxBatchSize int
	// Inputs and Outputs are the ports as the configuration describes them.
	Inputs, Outputs []Port
	// Instances is how many inferences run at the same time.
	Instances int
	Batching  Batching
	// Compile overrides options that the model is compiled with. Of its fields, those for which
	// there are properties of OpenVINO can be set.
	Compile Compile
	// Shapes gives inputs other shapes than the model has, by name; the name "" stands for all that
	// are not named. An unknown rank stands for the rank of the model with unknown lengths.
	Shapes map[string]ir.PartialShape
	// BatchSize replaces the first dimension of all inputs, if it is not nil.
	BatchSize *ir.Dimension
	// Warmup are inferences that are made before the model is ready.
	Warmup []Warmup
	// ResponseCache keeps answers for requests that come again.
	ResponseCache bool
	// Parameters are the texts that the configuration has for programs.
	Parameters map[string]string
}

// Port is an input or output in a configuration.
type Port struct {
	Name string
	// Type is ir.Dynamic if the configuration does not say.
	Type ir.ElementType
	// Dims has -1 for dimensions that are not known.
	Dims []int64
	// Reshape is the shape that the model has for Dims, if it has another one; nil means the same.
	Reshape []int64
}

// Batching says how requests are joined and how they wait.
type Batching struct {
	// MaxDelay is how long a request waits for others while an inference could run.
	MaxDelay time.Duration
	// Levels is the number of priorities, of which 1 is the highest, and DefaultLevel that of
	// requests that do not say. 0 means that there are none.
	Levels, DefaultLevel int
	// Queue bounds how requests wait.
	Queue QueuePolicy
}

// QueuePolicy bounds how requests wait.
type QueuePolicy struct {
	// MaxSize is the number of requests that wait. 0 means that nothing was said.
	MaxSize int
	// Timeout is how long a request waits. 0 means any time.
	Timeout time.Duration
	// FixedTimeout means that requests cannot set a shorter time than Timeout.
	FixedTimeout bool
}

// Compile has the properties of OpenVINO that a configuration sets. nil fields mean that it does
// not.
type Compile struct {
	PerformanceHint              *plugin.PerformanceHint
	ExecutionMode                *plugin.ExecutionMode
	InferencePrecision           *ir.ElementType
	KVCachePrecision             *ir.ElementType
	NumStreams                   *int
	InferenceNumThreads          *int
	DynamicQuantizationGroupSize *int
	EnableProfiling              *bool
}

// Apply sets the properties in options.
func (c *Compile) Apply(options *plugin.CompileOptions) {
	set(&options.PerformanceHint, c.PerformanceHint)
	set(&options.ExecutionMode, c.ExecutionMode)
	set(&options.InferencePrecision, c.InferencePrecision)
	set(&options.KVCachePrecision, c.KVCachePrecision)
	set(&options.NumStreams, c.NumStreams)
	set(&options.InferenceNumThreads, c.InferenceNumThreads)
	set(&options.DynamicQuantizationGroupSize, c.DynamicQuantizationGroupSize)
	set(&options.EnableProfiling, c.EnableProfiling)
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// Warmup is an inference that is made before a model is ready.
type Warmup struct {
	Name string
	// Rows is the number of rows, if the model has them. Count is how often it is made.
	Rows, Count int
	Inputs      []WarmupInput
}

// WarmupInput says what an input of a Warmup has.
type WarmupInput struct {
	Name string
	Type ir.ElementType
	Dims []int64
	// Random fills the input with random numbers; otherwise they are zeros.
	Random bool
}
