package onnx

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
	"github.com/vinoir/vinoir/ir/onnx/internal/wire"
)

// ReadFile reads the model in the file at path. Files with external data must be regular files in
// its folder or below it: no path in the model can name another file, and no link out of the folder
// is followed.
//
// # Errors
//
// An error in a file is a *ir.FormatError, which wraps a *SyntaxError, a *NodeError or an
// *UnsupportedError if it is about the encoding, a node, or operators without a rule. Other errors
// come from the system and from ctx.
func ReadFile(ctx context.Context, path string, opts Options) (*ir.Model, error) {
	opts.Limits = opts.Limits.withDefaults()
	folder := &diskFolder{path: filepath.Dir(path), mapped: opts.MMap}
	data, err := folder.load(regular.Open, path, opts.Limits.FileBytes)
	if err != nil {
		return nil, asTooLong(err)
	}
	m, err := read(ctx, data, external{open: folder.open, left: opts.Limits.ExternalBytes}.file(), opts)
	folder.closeRoot()
	if err != nil {
		_ = folder.Close() // nothing can be done about an error
		return nil, faults.Errorf("%s: %w", path, err)
	}
	if len(folder.mappings) > 0 {
		m.SetStorage(folder)
	}
	return m, nil
}

// ReadFS is ReadFile for a file in fsys, such as a file embedded in the program. Options.MMap has
// no effect.
func ReadFS(ctx context.Context, fsys fs.FS, name string, opts Options) (*ir.Model, error) {
	opts.Limits, opts.MMap = opts.Limits.withDefaults(), false
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := regular.Read(file, opts.Limits.FileBytes)
	if err != nil {
		return nil, asTooLong(faults.Errorf("%s: %w", name, err))
	}
	m, err := read(ctx, data, external{open: inFS(fsys, name), left: opts.Limits.ExternalBytes}.file(), opts)
	if err != nil {
		return nil, faults.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Read reads a model in memory. The model shares data and the bytes in Options.Files, which must
// not be changed.
func Read(ctx context.Context, data []byte, opts Options) (*ir.Model, error) {
	opts.Limits, opts.MMap = opts.Limits.withDefaults(), false
	if int64(len(data)) > opts.Limits.FileBytes {
		return nil, asTooLong(&regular.TooLongError{What: "the file", Size: int64(len(data)), Limit: opts.Limits.FileBytes})
	}
	var file func(string) ([]byte, error)
	if opts.Files != nil {
		file = func(location string) ([]byte, error) {
			if content, ok := opts.Files[location]; ok {
				return content, nil
			}
			return nil, faults.Errorf("the file %q is not in Options.Files", location)
		}
	}
	return read(ctx, data, file, opts)
}

// asTooLong returns err as an *ir.FormatError if it is about the length of a file.
func asTooLong(err error) error {
	var long *regular.TooLongError
	if errors.As(err, &long) {
		return &ir.FormatError{Err: err}
	}
	return err
}

// table has the rules of all operators. It never changes; to make it takes as long as to read a
// model of some twenty nodes.
var table = sync.OnceValues(func() (*convert.Table, error) { return convert.NewTable(operators.Rules()) })

// read reads a model. A panic, which would be a bug in this package, becomes an error.
func read(ctx context.Context, data []byte, file func(string) ([]byte, error), opts Options) (m *ir.Model, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for mappings
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, faults.OfPanic(" in the reader", r)
		}
	}()
	if opts.Rules == nil {
		return nil, errors.New("Options.Rules is nil: rules for the layers are needed, such as a plugin.Registry")
	}
	message, err := proto.Parse(data, wire.Limits{Messages: opts.Limits.Messages, Depth: opts.Limits.Depth})
	if err != nil {
		return nil, &ir.FormatError{Err: faults.Errorf("not an ONNX model: %w", err)}
	}
	rules, err := table()
	if err != nil {
		return nil, faults.Errorf("BUG: %w", err)
	}
	var observer *convert.Observer
	if opts.report != nil {
		if err := opts.report.check(ctx, message); err != nil {
			return nil, err
		}
		observer = opts.report.observer()
	}
	setDefault(&opts.Limits.CopiedBytes, 256<<20+8*int64(len(data)))
	setDefault(&opts.Limits.Nodes, min(20_000+100*countNodes(message), 10_000_000))
	m, err = convert.Model(ctx, message, convert.Options{
		Table: rules, Rules: opts.Rules, Lengths: opts.Lengths, Constants: opts.Constants, Stateful: opts.Stateful,
		Nodes: opts.Limits.Nodes, Depth: opts.Limits.Graphs, Observer: observer,
		Tensors: &tensors.Loader{File: file, Mapped: opts.MMap, TensorBytes: opts.Limits.TensorBytes, Bytes: opts.Limits.CopiedBytes},
	})
	if err != nil {
		if cause := ctx.Err(); cause != nil && errors.Is(err, cause) {
			return nil, err
		}
		return nil, &ir.FormatError{Err: err}
	}
	m.RTInfo = metadata(message)
	return m, nil
}

// countNodes returns the number of nodes in the graph of a model and in its functions.
func countNodes(m *proto.Model) int {
	n := len(m.Graph.Nodes)
	for _, f := range m.Functions {
		n += len(f.Nodes)
	}
	return n
}
