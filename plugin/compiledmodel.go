package plugin

import (
	"slices"
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/parallel"
)

// CompiledModel is a model that is ready to run. It is immutable and may be used by any
// number of goroutines; each takes an InferRequest of its own.
type CompiledModel struct {
	env             *environment
	program         *program
	inputs, outputs []Port
	profiling       bool // CompileOptions.EnableProfiling

	pools []*parallel.Pool
	next  atomic.Uint32 // pool of the next InferRequest
}

// Inputs returns the inputs of the model in document order, with their shapes after
// CompileOptions.Reshape.
func (c *CompiledModel) Inputs() []Port { return slices.Clone(c.inputs) }

// Outputs returns the outputs of the model in document order.
func (c *CompiledModel) Outputs() []Port { return slices.Clone(c.outputs) }

// InputIndex returns the index of the input with the given tensor name or friendly name. A
// tensor name counts before a friendly name. The error is an *ir.NameError, which lists the
// names there are.
func (c *CompiledModel) InputIndex(name string) (int, error) {
	return portIndex("input", c.inputs, name)
}

// OutputIndex returns the index of the output with the given tensor name, or the name of the
// layer that computes it or of its Result. A tensor name counts before a name of a layer. The
// error is an *ir.NameError.
func (c *CompiledModel) OutputIndex(name string) (int, error) {
	return portIndex("output", c.outputs, name)
}

// Close stops the goroutines that run parts of layers. InferRequests then run on the
// goroutines of their callers alone. A CompiledModel that is garbage needs no Close.
func (c *CompiledModel) Close() {
	for _, pool := range c.pools {
		pool.Close()
	}
}
