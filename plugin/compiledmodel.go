package plugin

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// CompiledModel is a model that is ready to run. It is immutable and may be used
// by any number of goroutines; each takes an InferRequest of its own.
type CompiledModel struct {
	core            *Core
	model           *ir.Model // after the passes
	inputs, outputs []Port
	options         CompileOptions
	threads         int    // for one Infer
	fold            bool   // values that are known before the run are no steps
	fuse            bool   // elementwise layers are computed by the layer before them
	isResult        []bool // by Layer.Index

	pools  []*parallel.Pool
	next   atomic.Uint32 // pool of the next InferRequest
	static *plan         // where the shapes of all inputs are static

	planning sync.Mutex
	plans    *lru[*plan]

	keeping sync.Mutex
	kept    map[keptKey]*keptValue
	buffers *buffers // of deferred constants
}

// keptKey and keptValue are of Preparation.Once.
type keptKey struct {
	layer *ir.Layer
	key   string
}

type keptValue struct {
	once  sync.Once
	value any
	err   error
}

// Port is an input or output of a model.
type Port struct {
	// Name is the friendly name: of the Parameter layer, or of the layer whose
	// output the model returns.
	Name string
	// Names are the tensor names, of which there may be none.
	Names []string
	Type  ir.ElementType
	Shape ir.PartialShape

	layer string // name of the Result layer
}

func (p *Port) has(name string) bool { return slices.Contains(p.Names, name) }

func newCompiledModel(c *Core, m *ir.Model, shapes *infer.Shapes, options CompileOptions) *CompiledModel {
	compiled := &CompiledModel{
		core: c, options: options,
		threads: options.InferenceNumThreads / options.NumStreams,
		kept:    make(map[keptKey]*keptValue),
		buffers: new(buffers),
		plans:   newLRU[*plan](c.options.MaxPlans, c.options.MaxPlanBytes),
	}
	for range options.NumStreams {
		compiled.pools = append(compiled.pools, parallel.New(compiled.threads))
	}
	for _, layer := range m.Parameters {
		fact := shapes.Outputs(layer)[0]
		port := Port{Name: layer.Name, Type: fact.Type, Shape: fact.Shape}
		if len(layer.Outputs) > 0 {
			port.Names = layer.Outputs[0].Names
		}
		compiled.inputs = append(compiled.inputs, port)
	}
	for _, layer := range m.Results {
		fact := shapes.Outputs(layer)[0]
		in := layer.Inputs[0]
		port := Port{Name: in.Source.Name, Names: layer.OutputNames, Type: fact.Type, Shape: fact.Shape, layer: layer.Name}
		if in.SourceIndex < len(in.Source.Outputs) {
			for _, name := range in.Source.Outputs[in.SourceIndex].Names {
				if !port.has(name) {
					port.Names = append(slices.Clip(port.Names), name)
				}
			}
		}
		compiled.outputs = append(compiled.outputs, port)
	}
	return compiled
}

// Inputs returns the model's inputs in document order, with their shapes after
// CompileOptions.Reshape.
func (c *CompiledModel) Inputs() []Port { return slices.Clone(c.inputs) }

// Outputs returns the model's outputs in document order.
func (c *CompiledModel) Outputs() []Port { return slices.Clone(c.outputs) }

// Close stops the goroutines that run parts of layers; InferRequests then run on
// their callers' goroutines alone. A CompiledModel that is garbage needs no Close.
func (c *CompiledModel) Close() {
	for _, pool := range c.pools {
		pool.Close()
	}
}

// inputIndex finds an input by tensor name, then by friendly name; -1 if there
// is none.
func (c *CompiledModel) inputIndex(name string) int { return portIndex(c.inputs, name) }

// outputIndex finds an output by tensor name, then by the friendly name of the
// layer that computes it or of its Result; -1 if there is none.
func (c *CompiledModel) outputIndex(name string) int { return portIndex(c.outputs, name) }

func portIndex(ports []Port, name string) int {
	for _, match := range []func(p Port) bool{
		func(p Port) bool { return p.has(name) },
		func(p Port) bool { return p.Name == name },
		func(p Port) bool { return p.layer == name },
	} {
		if i := slices.IndexFunc(ports, match); i >= 0 {
			return i
		}
	}
	return -1
}

func (c *CompiledModel) inputFacts() []ir.Fact {
	facts := make([]ir.Fact, len(c.inputs))
	for i, p := range c.inputs {
		facts[i] = ir.Fact{Type: p.Type, Shape: p.Shape}
	}
	return facts
}

// plan returns the plan for tensors of the given types and shapes, which the
// caller has checked against the inputs.
func (c *CompiledModel) plan(inputs []*ir.Tensor) (*plan, error) {
	if c.static != nil {
		return c.static, nil
	}
	var key []byte
	for _, t := range inputs {
		key = appendShape(key, t)
	}
	if p, ok := c.plans.get(key); ok {
		return p, nil
	}
	// One plan at a time: requests that meet the same new shapes share it.
	c.planning.Lock()
	defer c.planning.Unlock()
	if p, ok := c.plans.get(key); ok {
		return p, nil
	}
	facts := make([]ir.Fact, len(inputs))
	for i, t := range inputs {
		facts[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial()}
	}
	p, err := newPlan(c, facts)
	if err != nil {
		return nil, err
	}
	c.plans.put(string(key), p, p.bytes)
	return p, nil
}

// keeper returns Preparation.Keep for layer: what kernels for different shapes
// share is made once, and kept as long as c.
func (c *CompiledModel) keeper(layer *ir.Layer) func(string, int64, func() (any, error)) (any, error) {
	return func(key string, _ int64, make func() (any, error)) (any, error) {
		c.keeping.Lock()
		k := c.kept[keptKey{layer, key}]
		if k == nil {
			k = new(keptValue)
			c.kept[keptKey{layer, key}] = k
		}
		c.keeping.Unlock()
		k.once.Do(func() {
			defer guard(&k.err)
			k.value, k.err = make()
		})
		return k.value, k.err
	}
}

// appendShape appends the type and shape of t to a key of a cache.
func appendShape(key []byte, t *ir.Tensor) []byte {
	key = binary.AppendUvarint(append(key, byte(t.ElementType())), uint64(len(t.Shape())))
	for _, n := range t.Shape() {
		key = binary.AppendUvarint(key, uint64(n))
	}
	return key
}
