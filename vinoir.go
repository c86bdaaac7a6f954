// Package vinoir opens OpenVINO models and runs them on the CPU, in pure Go.
//
//	model, err := vinoir.Open("model.xml")
//	outputs, err := model.Infer(ctx, vinoir.Tensors{"image": image})
//	probabilities, err := ir.DataOf[float32](outputs["prob"])
//
// The package links all layer types. The packages below it give control of each stage: ir/irxml
// reads a file, ir/infer and ir/validate infer its shapes without running it, and plugin compiles
// the model, with the layer types that a program lists, and runs it in memory that the program
// manages.
package vinoir

import (
	"context"
	"errors"
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

// Options are options for opening a model. Zero fields mean the defaults.
type Options struct {
	// CompileOptions are the options of Core.CompileModel: threads, precision, the new shapes of
	// inputs and others.
	plugin.CompileOptions
	// Ops lists the layer types; nil means builtin.Ops(). A program adds its own layer types with
	// append(builtin.Ops(), ...).
	Ops []ops.Op
	// Limits bounds the memory that the model can ask for.
	Limits plugin.Options
	// Reading has the path of the weights, and limits for reading.
	Reading irxml.ReadOptions
	// Format reads models that are not XML, as their first bytes tell: onnx.Format for ONNX files.
	// nil means that all are XML. Programs link only a format that they name.
	Format Format
}

// Open reads and compiles the model in the XML file at path and the .bin file beside it. Errors
// that it can return wrap an *ir.FormatError if a file is invalid, or a *plugin.UnsupportedError,
// which lists all layers that have no kernel.
func Open(path string) (*Model, error) { return Options{}.Open(path) }

// OpenFS is Open for a file in a file system, such as an embed.FS.
func OpenFS(fsys fs.FS, name string) (*Model, error) { return Options{}.OpenFS(fsys, name) }

// Read is Open for the contents of the two files. The model uses bin, which must not be changed.
func Read(xml, bin []byte) (*Model, error) { return Options{}.Read(xml, bin) }

// Compile is Open for a model that is not in a file, such as one that package ir/edit has built. It
// takes over model: Close closes it, and so does an error.
func Compile(model *ir.Model) (*Model, error) { return Options{}.Compile(model) }

// Open is like the function Open.
func (o Options) Open(path string) (*Model, error) {
	registry, err := o.registry()
	if err != nil {
		return nil, err
	}
	var model *ir.Model
	if o.isOther(openFile(path)) {
		model, err = o.Format.ReadFile(context.Background(), path, registry)
	} else {
		model, err = irxml.ReadFile(path, o.Reading)
	}
	if err != nil {
		return nil, err
	}
	return o.compile(registry, model, path)
}

// OpenFS is like the function OpenFS.
func (o Options) OpenFS(fsys fs.FS, name string) (*Model, error) {
	registry, err := o.registry()
	if err != nil {
		return nil, err
	}
	var model *ir.Model
	if o.isOther(openFS(fsys, name)) {
		model, err = o.Format.ReadFS(context.Background(), fsys, name, registry)
	} else {
		model, err = irxml.ReadFS(fsys, name, o.Reading)
	}
	if err != nil {
		return nil, err
	}
	return o.compile(registry, model, name)
}

// Read is like the function Read. A model that Format reads is in xml; bin is then not used.
func (o Options) Read(xml, bin []byte) (*Model, error) {
	registry, err := o.registry()
	if err != nil {
		return nil, err
	}
	var model *ir.Model
	if o.Format != nil && irxml.IsOther(xml) {
		model, err = o.Format.Read(context.Background(), xml, registry)
	} else {
		model, err = irxml.Read(xml, bin, o.Reading)
	}
	if err != nil {
		return nil, err
	}
	return o.compile(registry, model, model.Name)
}

// Compile is like the function Compile.
func (o Options) Compile(model *ir.Model) (*Model, error) {
	registry, err := o.registry()
	if err != nil {
		_ = model.Close()
		return nil, err
	}
	return o.compile(registry, model, model.Name)
}

// registry returns the registry of the layer types.
func (o Options) registry() (*plugin.Registry, error) {
	list := o.Ops
	if list == nil {
		list = builtin.Ops()
	}
	return plugin.NewRegistry(list...)
}

// compile returns a Model of model. Errors start with name.
func (o Options) compile(registry *plugin.Registry, model *ir.Model, name string) (*Model, error) {
	m := &Model{ir: model, idle: make(chan struct{})}
	var err error
	m.compiled, err = plugin.NewCore(registry, o.Limits).CompileModel(context.Background(), model, o.CompileOptions)
	if err != nil {
		_ = model.Close() // the error of compiling is the one to report
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m.inputs = m.compiled.Inputs()
	type nameList struct { // which outputs of one tensor share
		first *string
		n     int
	}
	known := make(map[nameList]bool)
	for i, port := range m.compiled.Outputs() {
		if n := len(port.Names); n > 0 {
			list := nameList{&port.Names[0], n}
			if known[list] {
				port.Names = nil // an earlier output has them
			}
			known[list] = true
		}
		// Of several outputs of one name, OutputIndex decides.
		m.names = append(m.names, slices.DeleteFunc(port.AllNames(), func(name string) bool {
			found, err := m.compiled.OutputIndex(name)
			return err != nil || found != i
		}))
	}
	m.requests.New = func() any { return m.compiled.NewInferRequest() }
	return m, nil
}

// Model is a model that is ready to run. It is safe for concurrent use.
type Model struct {
	ir       *ir.Model
	compiled *plugin.CompiledModel
	inputs   []plugin.Port
	names    [][]string // of each output
	requests sync.Pool  // of *plugin.InferRequest, to reuse their memory

	mu     sync.Mutex    // guards the fields below
	calls  int           // calls of Infer that run
	closed bool          // by Close
	idle   chan struct{} // closed when calls is 0 after Close
}

// ErrClosed is the error of Infer after Close.
var ErrClosed = errors.New("the model is closed")

// begin begins a call of Infer.
func (m *Model) begin() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.calls++
	return nil
}

// end ends a call of Infer.
func (m *Model) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls--; m.closed && m.calls == 0 {
		close(m.idle)
	}
}

// Tensors maps names to the inputs or outputs of a model.
type Tensors map[string]*ir.Tensor

// Get returns the tensor with the given name. If there is none, the error is an *ir.NameError,
// which lists the names there are.
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

// Infer computes the outputs of the model. inputs must have one tensor for each input, under a
// tensor name of the input or the name of its layer. Infer reads the tensors without a copy; they
// must not be changed until it returns. The result has each output under all its names: its tensor
// names, the name of the layer that computes it, and the name of its Result layer. If two outputs
// have the same name, it is the one that CompiledModel.OutputIndex finds. The outputs are copies,
// which the caller owns. While they are made, they count against Options.Limits.MaxTotalBytes.
//
// The variables of the model start from their initial values in each call: a language model that is
// called token by token forgets what came before. NewSession keeps them.
//
// An error names the input or the layer that caused it. If no input has one of the names, the error
// is an *ir.NameError, which lists the names there are. When ctx is done, Infer stops within a few
// milliseconds, in the middle of a layer too, and returns the error of ctx. After Close, the error
// is ErrClosed.
func (m *Model) Infer(ctx context.Context, inputs Tensors) (Tensors, error) {
	if err := m.begin(); err != nil {
		return nil, err
	}
	defer m.end()
	request := m.requests.Get().(*plugin.InferRequest)
	defer m.requests.Put(request)
	if err := reset(request); err != nil {
		return nil, err
	}
	return m.infer(ctx, request, inputs)
}

// infer is Infer with the variables of request as they are.
func (m *Model) infer(ctx context.Context, request *plugin.InferRequest, inputs Tensors) (Tensors, error) {
	names := make([]string, len(m.inputs)) // under which each input is given
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
	for i, port := range m.inputs {
		if names[i] == "" {
			return nil, fmt.Errorf("input %d %q is not given", i, port.Name)
		}
	}
	if err := request.Infer(ctx); err != nil {
		return nil, err
	}
	copies, err := request.CopyOutputs(ctx)
	if err != nil {
		return nil, err
	}
	outputs := Tensors{}
	for i, names := range m.names {
		for _, name := range names {
			outputs[name] = copies[i]
		}
	}
	return outputs, nil
}

// Inputs returns the inputs of the model with their names, element types and shapes.
func (m *Model) Inputs() []plugin.Port { return m.compiled.Inputs() }

// Outputs returns the outputs of the model.
func (m *Model) Outputs() []plugin.Port { return m.compiled.Outputs() }

// Compiled returns the compiled model, to create InferRequests, for example.
func (m *Model) Compiled() *plugin.CompiledModel { return m.compiled }

// Close waits for calls of Infer that are running, of Sessions too, stops the goroutines of the
// model and unmaps its weights if they are mapped. InferRequests of Compiled must not be used
// during Close and afterwards if the weights are mapped. Without Options.Reading.MMap, Close is
// optional: the garbage collector does the same.
func (m *Model) Close() error {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		if m.calls == 0 {
			close(m.idle)
		}
	}
	m.mu.Unlock()
	<-m.idle
	m.compiled.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ir.Close()
}
