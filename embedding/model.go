package embedding

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/text"
)

// Options are options for opening a Pipeline or a Reranker. Zero fields other than Ops mean the
// defaults.
type Options struct {
	// Ops lists the layer types of the model: builtin.Ops(), or less for a smaller program.
	Ops []ops.Op
	// CompileOptions are the options of Core.CompileModel: threads, precision and others. With
	// several streams, as PerformanceHintThroughput asks for, as many batches of a call run at
	// once: that is faster for many texts, and slower for one.
	plugin.CompileOptions
	// Limits bounds the memory that the model can ask for. For each length of a batch, some kernels
	// are prepared, and used again: so 0 for MaxPlans means 1024 here.
	Limits plugin.Options
	// BatchTokens is the largest number of tokens that are computed together, unless one text has
	// more. 0 means 512.
	BatchTokens int
	// Reading has limits for reading the model.
	Reading irxml.ReadOptions
	// Tokenizer are the options for opening the tokenizer.
	Tokenizer text.Options
}

// Defaults of Options.
const (
	maxPlans    = 1024
	batchTokens = 512
)

// model runs a model and a tokenizer on texts. It is safe for concurrent use.
type model struct {
	source    *ir.Model
	compiled  *plugin.CompiledModel
	tokenizer *text.Tokenizer
	defaults  text.Defaults
	// ids, mask, types, positions and beams are the numbers of the inputs; -1 if the model has
	// none.
	ids, mask, types, positions, beams int
	batchTokens                        int
	sessions                           sync.Pool // of *session
}

// source is what a model is made of.
type source struct {
	model     *ir.Model
	tokenizer *text.Tokenizer
}

// openDir reads the files in a directory. Its .bin can be mapped.
func (o *Options) openDir(dir string) (source, error) {
	m, err := irxml.ReadFile(path.Join(dir, modelFile), o.Reading)
	return o.openTokenizer(m, err, os.DirFS(dir), ".")
}

// openFS is openDir for a directory in a file system.
func (o *Options) openFS(fsys fs.FS, dir string) (source, error) {
	m, err := irxml.ReadFS(fsys, path.Join(dir, modelFile), o.Reading)
	return o.openTokenizer(m, err, fsys, dir)
}

func (o *Options) openTokenizer(m *ir.Model, err error, fsys fs.FS, dir string) (source, error) {
	if err != nil {
		return source{}, err
	}
	tokenizer, err := o.Tokenizer.OpenFS(fsys, dir)
	if err != nil {
		return source{}, faults.Join(err, m.Close())
	}
	return source{m, tokenizer}, nil
}

func (s source) close() error { return faults.Join(s.tokenizer.Close(), s.model.Close()) }

// newModel compiles a model, of which change makes another one. It takes over s: an error closes
// it.
func (o Options) newModel(ctx context.Context, s source, change func(*edit.Builder)) (*model, error) {
	m := &model{source: s.model, tokenizer: s.tokenizer, defaults: s.tokenizer.Defaults(), batchTokens: cmp.Or(o.BatchTokens, batchTokens)}
	m.sessions.New = func() any { return m.newSession() }
	if err := m.compile(ctx, o, change); err != nil {
		_ = s.close() // the error of compiling is the one to report
		return nil, faults.Errorf("model %q: %w", s.model.Name, err)
	}
	return m, nil
}

// compile compiles m.source.
func (m *model) compile(ctx context.Context, o Options, change func(*edit.Builder)) error {
	if len(o.Ops) == 0 {
		return errors.New("Options.Ops lists no layer types, as builtin.Ops does")
	}
	if o.BatchTokens < 0 {
		return faults.Errorf("Options.BatchTokens is negative: %d", o.BatchTokens)
	}
	registry, err := plugin.NewRegistry(o.Ops...)
	if err != nil {
		return err
	}
	changed, err := firstOutput(ctx, m.source, registry)
	if err != nil {
		return err
	}
	b := edit.Change(ctx, changed, registry)
	change(b)
	if changed, err = b.Model(); err != nil {
		return err
	}
	o.Limits.MaxPlans = cmp.Or(o.Limits.MaxPlans, maxPlans)
	if m.compiled, err = plugin.NewCore(registry, o.Limits).CompileModel(ctx, changed, o.CompileOptions); err != nil {
		return err
	}
	if err := textinput.Find(m.compiled.Inputs(), m.inputs()); err != nil {
		m.compiled.Close()
		return err
	}
	return nil
}

// firstOutput returns the part of a model that its first output needs.
func firstOutput(ctx context.Context, m *ir.Model, registry *plugin.Registry) (*ir.Model, error) {
	if len(m.Results) == 0 {
		return nil, errors.New("it has no output")
	}
	if len(m.Results) == 1 {
		return m, nil
	}
	in := m.Results[0].Inputs[0]
	return edit.Extract(ctx, m, registry, nil, []string{in.Source.Name + ":" + strconv.Itoa(in.SourceIndex)})
}

// toFloats makes the output of a model f32.
func toFloats(b *edit.Builder) {
	for _, layer := range b.Layers() {
		if layer.Type != "Result" {
			continue
		}
		if s := edit.SourceOf(layer.Inputs[0]); b.Fact(s).Type != ir.F32 {
			b.InsertAfter(s, func(s edit.Source) edit.Source {
				return b.Layer("Convert", 1, edit.Attributes("destination_type", "f32"), s)
			})
		}
	}
}

// inputs returns the inputs that a model can have.
func (m *model) inputs() []textinput.Input {
	return []textinput.Input{
		textinput.Of(textinput.IDs, &m.ids), textinput.Of(textinput.Mask, &m.mask), textinput.Of(textinput.Types, &m.types),
		textinput.Of(textinput.Positions, &m.positions), textinput.Of(textinput.Beams, &m.beams),
	}
}

// close frees what the model holds.
func (m *model) close() error {
	m.compiled.Close()
	return source{m.source, m.tokenizer}.close()
}

// withBuiltin returns options with all layer types of vinoir.
func withBuiltin() Options { return Options{Ops: builtin.Ops()} }
