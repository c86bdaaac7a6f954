// Package vinoir opens OpenVINO models and runs them on the CPU, in pure Go.
//
//	model, err := vinoir.Open("model.xml")
//	outputs, err := model.Infer(ctx, vinoir.Tensors{"image": image})
//	probabilities, err := ir.DataOf[float32](outputs["prob"])
//
// It is the short way, for all layer types. The packages below it give control of each stage:
// ir/irxml reads the file, ir/infer and ir/validate know the shapes without running anything, and
// plugin compiles the model, for the layer types that a program lists, and runs it in memory that
// the program keeps.
package vinoir

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// Options say how a model is opened. The zero value is the default of each.
type Options struct {
	// Threads is the number of threads that all calls of Infer together use. 0 means
	// GOMAXPROCS.
	Threads int
	// PerformanceHint says whether one call of Infer uses all threads, which is the default, or
	// each of many calls at once uses one.
	PerformanceHint plugin.PerformanceHint
	// Shapes gives inputs other shapes than the model has, by tensor name or layer name.
	Shapes map[string]ir.PartialShape
	// Ops lists the layer types; nil means builtin.Ops(). A program adds its own by
	// append(builtin.Ops(), ...).
	Ops []ops.Op
	// Limits bounds the memory that the model can ask for.
	Limits plugin.Options
	// Reading says where the weights are, and bounds the memory and time of reading.
	Reading irxml.ReadOptions
}

// Open reads and compiles the model of an XML file, and the .bin beside it. The error is an
// *ir.FormatError if the file is wrong, and a *plugin.UnsupportedError, which lists all layers that
// cannot be computed, if it is right.
func Open(path string) (*Model, error) { return Options{}.Open(path) }

// OpenFS is Open for a file of a file system, such as an embed.FS.
func OpenFS(fsys fs.FS, name string) (*Model, error) { return Options{}.OpenFS(fsys, name) }

// Read is Open for the content of the two files. The model shares bin, which must not be changed.
func Read(xml, bin []byte) (*Model, error) { return Options{}.Read(xml, bin) }

// Open is like the function Open.
func (o Options) Open(path string) (*Model, error) {
	model, err := irxml.ReadFile(path, o.Reading)
	if err != nil {
		return nil, err
	}
	return o.compile(model, path)
}

// OpenFS is like the function OpenFS.
func (o Options) OpenFS(fsys fs.FS, name string) (*Model, error) {
	model, err := irxml.ReadFS(fsys, name, o.Reading)
	if err != nil {
		return nil, err
	}
	return o.compile(model, name)
}

// Read is like the function Read.
func (o Options) Read(xml, bin []byte) (*Model, error) {
	model, err := irxml.Read(xml, bin, o.Reading)
	if err != nil {
		return nil, err
	}
	return o.compile(model, model.Name)
}

// compile takes over model. name is what errors call it.
func (o Options) compile(model *ir.Model, name string) (*Model, error) {
	list := o.Ops
	if list == nil {
		list = builtin.Ops()
	}
	registry, err := plugin.NewRegistry(list...)
	if err != nil {
		return nil, err
	}
	m := &Model{ir: model}
	m.compiled, err = plugin.NewCore(registry, o.Limits).CompileModel(context.Background(), model, plugin.CompileOptions{
		InferenceNumThreads: o.Threads, PerformanceHint: o.PerformanceHint, Reshape: o.Shapes,
	})
	if err != nil {
		_ = model.Close() // the error of compiling is the one to report
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m.requests.New = func() any { return m.compiled.NewInferRequest() }
	return m, nil
}

// Model is a model that is ready to run. It is safe for use by many goroutines at once.
type Model struct {
	ir       *ir.Model
	compiled *plugin.CompiledModel
	requests sync.Pool // of *plugin.InferRequest, which keep the memory of their tensors
}

// Tensors are the inputs or outputs of a model by name.
type Tensors map[string]*ir.Tensor

// Get returns the tensor of a name. The error of an unknown name is an *ir.NameError, which lists
// the names there are.
func (t Tensors) Get(name string) (*ir.Tensor, error) {
	if tensor := t[name]; tensor != nil {
		return tensor, nil
	}
	e := &ir.NameError{Kind: "tensor", Name: name}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		e.Names = append(e.Names, []string{name})
	}
	return nil, e
}

// Infer computes the outputs of the model from inputs, which has a tensor for each input by its
// tensor name or the name of its layer. The tensors are read, and not kept. The result has each
// output under all of its names: its tensor names, that of the layer that computes it, and that of
// its Result layer. If two outputs have one name, it is that of the first. The outputs belong to
// the caller.
//
// The variables of a model that has some start from their initial values in each call. A program
// that keeps a state uses an InferRequest of Compiled.
//
// The error names the input or the layer at fault. That of a name which no input has is an
// *ir.NameError. When ctx is done, Infer returns its error after the layer that runs.
func (m *Model) Infer(ctx context.Context, inputs Tensors) (Tensors, error) {
	request := m.requests.Get().(*plugin.InferRequest)
	defer m.requests.Put(request)
	ports := m.compiled.Inputs()
	names := make([]string, len(ports)) // under which each input is given
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		i, err := m.compiled.InputIndex(name)
		if err != nil {
			return nil, err
		}
		if names[i] != "" {
			return nil, fmt.Errorf("input %d is given twice, as %q and %q", i, names[i], name)
		}
		names[i] = name
		if err := request.SetInput(i, inputs[name]); err != nil {
			return nil, err
		}
	}
	for i, port := range ports {
		if names[i] == "" {
			return nil, fmt.Errorf("input %d %q is not given", i, port.Name)
		}
	}
	for _, state := range request.QueryState() {
		if err := state.Reset(); err != nil {
			return nil, err
		}
	}
	if err := request.Infer(ctx); err != nil {
		return nil, err
	}
	return m.outputs(request)
}

// outputs returns copies of the outputs of a request, by all names.
func (m *Model) outputs(request *plugin.InferRequest) (Tensors, error) {
	outputs := Tensors{}
	for i, port := range m.compiled.Outputs() {
		t, err := request.Output(i).Clone()
		if err != nil {
			return nil, err
		}
		for _, name := range port.AllNames() {
			if first, err := m.compiled.OutputIndex(name); err == nil && first == i {
				outputs[name] = t
			}
		}
	}
	return outputs, nil
}

// Inputs returns the inputs of the model with their names, element types and shapes.
func (m *Model) Inputs() []plugin.Port { return m.compiled.Inputs() }

// Outputs returns the outputs of the model.
func (m *Model) Outputs() []plugin.Port { return m.compiled.Outputs() }

// Compiled returns the compiled model, for InferRequests, profiles and states.
func (m *Model) Compiled() *plugin.CompiledModel { return m.compiled }

// Close stops the goroutines of the model and unmaps its weights if they are mapped. No Infer may
// run, or be called later. A Model that is garbage needs no Close, unless Options.Reading.MMap is set.
func (m *Model) Close() error {
	m.compiled.Close()
	return m.ir.Close()
}
