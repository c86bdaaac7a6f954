package plugin

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// CompiledModel is a model that is ready to run. It is immutable and safe for concurrent use; each
// goroutine creates its own InferRequest.
type CompiledModel struct {
	env             *graph.Environment
	program         *plan.Program
	inputs, outputs []Port
	// inputIndices and outputIndices are the indices of inputs and outputs by name.
	inputIndices, outputIndices map[string]int
	profiling                   bool // CompileOptions.EnableProfiling
	layerTypes                  []string

	pools []*parallel.Pool
	next  atomic.Uint32 // pool of the next InferRequest
}

// Inputs returns the inputs of the model in document order, with their shapes after
// CompileOptions.Reshape.
func (c *CompiledModel) Inputs() []Port { return slices.Clone(c.inputs) }

// Outputs returns the outputs of the model in document order.
func (c *CompiledModel) Outputs() []Port { return slices.Clone(c.outputs) }

// InputIndex returns the index of the input with the given tensor name or, if there is none,
// friendly name. The error is an *ir.NameError, which lists the names there are.
func (c *CompiledModel) InputIndex(name string) (int, error) {
	if i, ok := c.inputIndices[name]; ok {
		return i, nil
	}
	return 0, unknownPort("input", c.inputs, name)
}

// OutputIndex returns the index of the output with the given name: a tensor name, the name of the
// layer that computes it, or the name of its Result layer, in this order of precedence. The error
// is an *ir.NameError, which lists the names there are.
func (c *CompiledModel) OutputIndex(name string) (int, error) {
	if i, ok := c.outputIndices[name]; ok {
		return i, nil
	}
	return 0, unknownPort("output", c.outputs, name)
}

// LayerTypes returns the layer types that compiling the model has used, sorted: those of the model,
// and those of the layers that the optimizations have inserted. A registry of only these types,
// whose families ops.Family finds, compiles the model in the same way.
func (c *CompiledModel) LayerTypes() []string { return slices.Clone(c.layerTypes) }

// OptimalRequests returns the number of InferRequests that must run at the same time to use all
// threads: OpenVINO's OPTIMAL_NUMBER_OF_INFER_REQUESTS. It is the number of streams.
func (c *CompiledModel) OptimalRequests() int { return len(c.pools) }

// Threads returns the number of threads that the InferRequests use if OptimalRequests of them run
// at the same time.
func (c *CompiledModel) Threads() int { return len(c.pools) * c.env.Threads }

// InferencePrecision returns the type that convolutions and products of matrices round their
// operands to: CompileOptions.InferencePrecision where the processor has instructions for it, else
// F32. Layers say in ProfilingInfo.Precision what they use.
func (c *CompiledModel) InferencePrecision() ir.ElementType {
	return cmp.Or(c.env.Rounded, ir.F32)
}

// KVCachePrecision returns the type that the states that attention appends to are kept in, if they
// are f32 in the model, see CompileOptions.KVCachePrecision; Dynamic if there are none.
func (c *CompiledModel) KVCachePrecision() ir.ElementType {
	if !slices.Contains(c.layerTypes, "AppendState") {
		return ir.Dynamic
	}
	return c.env.KVCache
}

// Cost is what one inference takes.
type Cost struct {
	// Flops is the number of floating-point operations of the layers whose kernels report it, where
	// a multiply-add counts as two. Layers in bodies do not count.
	Flops float64
	// Bytes is the memory of an InferRequest for the values between the layers and for scratch
	// memory.
	Bytes int64
}

// Cost returns what one inference takes. ok is false if the shapes of the inputs are not static:
// then it depends on those of each inference.
func (c *CompiledModel) Cost() (cost Cost, ok bool) {
	plan := c.program.Static
	if plan == nil {
		return Cost{}, false
	}
	for i := range plan.Steps {
		cost.Flops += plan.Steps[i].About.Flops
	}
	cost.Bytes = int64(plan.Arena)
	return cost, true
}

// Memory is the memory that a CompiledModel and one InferRequest take, in bytes. Constants that are
// read where the reader has put them, and the tensors of the caller, do not count.
type Memory struct {
	// Kept is what the CompiledModel keeps: packed weights, constants that are computed, aligned
	// copies of Constants, and the tables of plans. Options.MaxKeptBytes bounds it.
	Kept int64
	// Arena is the memory of an InferRequest for the values between the layers and for scratch
	// memory, without that of bodies. Options.MaxTotalBytes bounds it.
	Arena int64
	// Scratch is the largest scratch memory of a layer. It is a part of Arena, shared with values
	// that are not needed at the same time.
	Scratch int64
}

// Memory returns the memory that the model and one InferRequest take. ok is false if the shapes of
// the inputs are not static: then Arena and Scratch are 0, and depend on the shapes of each
// inference.
func (c *CompiledModel) Memory() (m Memory, ok bool) {
	m.Kept = c.env.Memory.Kept.Used()
	plan := c.program.Static
	if plan == nil {
		return m, false
	}
	m.Arena = int64(plan.Arena)
	for i := range plan.Steps {
		m.Scratch = max(m.Scratch, int64(plan.Steps[i].ScratchBytes))
	}
	return m, true
}

// Close stops the goroutines that run parts of layers. InferRequests can still be used; they then
// run on the goroutines of their callers only. Without Close, the garbage collector stops them.
func (c *CompiledModel) Close() {
	for _, pool := range c.pools {
		pool.Close()
	}
}
