package embedding

import (
	"context"
	"io/fs"
	"os"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/text"
)

// Pipeline computes vectors of texts. It is safe for concurrent use.
type Pipeline struct {
	model  *model
	config Config
	width  int
	pools  bool // whether the model computes a vector for each token
}

// Open opens the model in the directory dir, with all layer types of vinoir and the Config of
// ReadConfig.
func Open(dir string) (*Pipeline, error) { return withBuiltin().Open(dir) }

// Open is like the function Open, with the layer types that o lists.
func (o Options) Open(dir string) (*Pipeline, error) {
	config, err := ReadConfig(os.DirFS(dir), ".")
	if err != nil {
		return nil, err
	}
	return o.OpenConfig(dir, config)
}

// OpenConfig is Open with another Config.
func (o Options) OpenConfig(dir string, config Config) (*Pipeline, error) {
	s, err := o.openDir(dir)
	if err != nil {
		return nil, err
	}
	return o.New(context.Background(), s.model, s.tokenizer, config)
}

// OpenFS is Open for a directory in a file system, such as an embed.FS.
func (o Options) OpenFS(fsys fs.FS, dir string) (*Pipeline, error) {
	config, err := ReadConfig(fsys, dir)
	if err != nil {
		return nil, err
	}
	s, err := o.openFS(fsys, dir)
	if err != nil {
		return nil, err
	}
	return o.New(context.Background(), s.model, s.tokenizer, config)
}

// New returns a Pipeline of a model and a tokenizer. It takes both over: Close closes them, and so
// does an error. The model's first output has a vector for each token or for each text.
func (o Options) New(ctx context.Context, model *ir.Model, tokenizer *text.Tokenizer, config Config) (*Pipeline, error) {
	m, err := o.newModel(ctx, source{model, tokenizer}, toFloats)
	if err != nil {
		return nil, err
	}
	p := &Pipeline{model: m, config: config}
	if err := p.check(); err != nil {
		_ = m.close() // the first error is the one to report
		return nil, faults.Errorf("model %q: %w", model.Name, err)
	}
	return p, nil
}

// logitsName is what exporters call the output of a model that scores tokens or classes.
const logitsName = "logits"

// check sets what depends on the output of the model.
func (p *Pipeline) check() error {
	if err := p.config.Validate(); err != nil {
		return err
	}
	port := p.model.compiled.Outputs()[0]
	rank := port.Shape.Rank()
	if slices.Contains(port.Names, logitsName) {
		return faults.Errorf("output %q is %v%v: it is a language model or a classifier, whose numbers are no vectors of texts",
			port.Name, port.Type, port.Shape)
	}
	if rank != 2 && rank != 3 || !port.Shape.At(rank-1).IsStatic() || port.Shape.At(rank-1).Min == 0 {
		return faults.Errorf("output %q is %v%v, not f32[?,?,n] or f32[?,n] with the size n of a vector", port.Name, port.Type, port.Shape)
	}
	p.width, p.pools = int(port.Shape.At(rank-1).Min), rank == 3
	if p.pools && p.config.missing != "" {
		return faults.Errorf("module %s of sentence-transformers is not supported", p.config.missing)
	}
	return nil
}

// Config returns the Config that the Pipeline was opened with.
func (p *Pipeline) Config() Config { return p.config }

// Width returns the number of elements of a vector.
func (p *Pipeline) Width() int { return p.width }

// Tokenizer returns the tokenizer, to count tokens, for example.
func (p *Pipeline) Tokenizer() *text.Tokenizer { return p.model.tokenizer }

// Compiled returns the compiled model, to ask for its memory, for example.
func (p *Pipeline) Compiled() *plugin.CompiledModel { return p.model.compiled }

// Close stops the goroutines of the model and unmaps its weights if they are mapped. No call may
// run during Close, or afterwards if the weights are mapped. Without Options.Reading.MMap, Close is
// optional: the garbage collector does the same.
func (p *Pipeline) Close() error { return p.model.close() }

// Embed returns the vectors of texts, without an instruction: row i is that of text i.
func (p *Pipeline) Embed(ctx context.Context, texts []string) (*Matrix, error) {
	return p.matrix(ctx, "", texts)
}

// EmbedDocuments returns the vectors of documents, which are searched in.
func (p *Pipeline) EmbedDocuments(ctx context.Context, documents []string) (*Matrix, error) {
	return p.matrix(ctx, p.config.DocumentInstruction, documents)
}

// EmbedQuery returns the vector of a text that is searched for.
func (p *Pipeline) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	return p.appendEmbed(ctx, nil, p.config.QueryInstruction, []string{query})
}

// AppendEmbed appends the vectors that Embed returns to dst.
func (p *Pipeline) AppendEmbed(ctx context.Context, dst []float32, texts []string) ([]float32, error) {
	return p.appendEmbed(ctx, dst, "", texts)
}

func (p *Pipeline) matrix(ctx context.Context, instruction string, texts []string) (*Matrix, error) {
	data, err := p.appendEmbed(ctx, nil, instruction, texts)
	if err != nil {
		return nil, err
	}
	return &Matrix{Rows: len(texts), Columns: p.width, Data: data}, nil
}

// appendEmbed appends the vectors of texts, each with instruction before it, to dst.
func (p *Pipeline) appendEmbed(ctx context.Context, dst []float32, instruction string, texts []string) ([]float32, error) {
	start := len(dst)
	dst = slices.Grow(dst, len(texts)*p.width)[:start+len(texts)*p.width]
	j := job{
		model: p.model, Length: p.config.Length, n: len(texts),
		text: func(i int) (string, string) { return instruction + texts[i], "" },
		receive: func(i int, out *output) error {
			vector := dst[start+i*p.width:][:p.width]
			p.pool(vector, out)
			if p.config.Normalize {
				normalize(vector)
			}
			return nil
		},
	}
	if err := j.run(ctx); err != nil {
		return dst[:start], err
	}
	return dst, nil
}

// pool sets vector to the one of a text.
func (p *Pipeline) pool(vector []float32, out *output) {
	at := 0 // a token
	switch {
	case !p.pools || p.config.Pooling == CLS:
	case p.config.Pooling == Mean:
		mean(vector, out.values[out.first*out.width:(out.first+out.count)*out.width])
		return
	case p.config.PaddingSide == text.PaddingLeft:
		at = out.length - 1
	default:
		at = max(out.count-1, 0)
	}
	copy(vector, out.values[at*out.width:(at+1)*out.width])
}

// mean sets vector to the mean of the vectors in values; to 0 if there are none.
func mean(vector, values []float32) {
	clear(vector)
	n := float32(len(values) / len(vector))
	for len(values) > 0 {
		for i, v := range values[:len(vector)] {
			vector[i] += v
		}
		values = values[len(vector):]
	}
	for i := range vector {
		vector[i] /= max(n, 1)
	}
}
