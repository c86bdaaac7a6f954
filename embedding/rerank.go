package embedding

import (
	"cmp"
	"context"
	"io/fs"
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/text"
)

// Reranker scores how well documents answer a query. It is safe for concurrent use.
//
// A model that classifies computes f32[?,n] for pairs of a query and a document. The score is the
// sigmoid of its class if it has one, otherwise the softmax of class 1. A language model, such as
// Qwen3-Reranker, computes f32[?,?,n], the logits of tokens, for query and document in one text,
// which contain what the model expects around them. The score is the softmax of "yes", against
// "no", as the next token.
type Reranker struct {
	model  *model
	length Length
	joins  bool // whether query and document are one text
}

// RerankOptions are options of Rerank.
type RerankOptions struct {
	// TopN is the largest number of documents to return; 0 means 3.
	TopN int
}

// topN is the default of RerankOptions.TopN.
const topN = 3

// OpenReranker opens the model in the directory dir, with all layer types of vinoir.
func OpenReranker(dir string) (*Reranker, error) {
	return withBuiltin().OpenReranker(dir, Length{})
}

// OpenReranker is like the function OpenReranker, with the layer types that o lists. length is that
// of pairs.
func (o Options) OpenReranker(dir string, length Length) (*Reranker, error) {
	s, err := o.openDir(dir)
	if err != nil {
		return nil, err
	}
	return o.NewReranker(context.Background(), s.model, s.tokenizer, length)
}

// OpenRerankerFS is OpenReranker for a directory in a file system, such as an embed.FS.
func (o Options) OpenRerankerFS(fsys fs.FS, dir string, length Length) (*Reranker, error) {
	s, err := o.openFS(fsys, dir)
	if err != nil {
		return nil, err
	}
	return o.NewReranker(context.Background(), s.model, s.tokenizer, length)
}

// NewReranker returns a Reranker of a model and a tokenizer. It takes both over: Close closes them,
// and so does an error.
func (o Options) NewReranker(ctx context.Context, model *ir.Model, tokenizer *text.Tokenizer, length Length) (*Reranker, error) {
	answers, err := answersOf(ctx, tokenizer)
	if err != nil {
		_ = source{model, tokenizer}.close() // the first error is the one to report
		return nil, err
	}
	m, err := o.newModel(ctx, source{model, tokenizer}, func(b *edit.Builder) {
		toFloats(b)
		selectAnswers(b, answers)
	})
	if err != nil {
		return nil, err
	}
	r := &Reranker{model: m, length: length}
	if err := r.check(ctx, answers); err != nil {
		_ = m.close() // the first error is the one to report
		return nil, faults.Errorf("model %q: %w", model.Name, err)
	}
	return r, nil
}

// vectorNames are what exporters call the outputs of models of embeddings.
var vectorNames = []string{"last_hidden_state", "token_embeddings", "sentence_embedding"}

// answersOf returns the tokens of "no" and "yes"; nil if one of them is not one token.
func answersOf(ctx context.Context, tokenizer *text.Tokenizer) ([]int64, error) {
	var answers []int64
	for _, answer := range []string{"no", "yes"} {
		tokens, err := tokenizer.AppendEncode(ctx, nil, answer, false)
		if err != nil || len(tokens) != 1 {
			return nil, err
		}
		answers = append(answers, int64(tokens[0]))
	}
	return answers, nil
}

// selectAnswers makes a language model compute the logits of answers only. If its last layer is a
// product with the vocabulary, so few of its rows remain.
func selectAnswers(b *edit.Builder, answers []int64) {
	if answers == nil {
		return
	}
	for _, layer := range b.Layers() {
		if layer.Type != "Result" {
			continue
		}
		s := edit.SourceOf(layer.Inputs[0])
		if shape := b.Fact(s).Shape; shape.Rank() != 3 || shape.At(2).Max <= slices.Max(answers) {
			continue
		}
		gather := func(s edit.Source, axis int64) edit.Source {
			return b.Layer("Gather", 8, edit.Attributes("batch_dims", "0"), s, b.ConstantOf(answers, len(answers)), b.ConstantOf([]int64{axis}, 1))
		}
		if a := ir.AttributesOf(s.Layer); s.Layer.Type == "MatMul" && a.Bool("transpose_b", false) {
			weights := edit.SourceOf(s.Layer.Inputs[1])
			if b.Fact(weights).Shape.Rank() == 2 {
				b.Connect(s.Layer, 1, gather(weights, 0))
				continue
			}
		}
		b.InsertAfter(s, func(s edit.Source) edit.Source { return gather(s, 2) })
	}
}

// check sets what depends on the output of the model.
func (r *Reranker) check(ctx context.Context, answers []int64) error {
	if err := r.length.validate(); err != nil {
		return err
	}
	port := r.model.compiled.Outputs()[0]
	isVector := func(name string) bool { return slices.Contains(vectorNames, name) }
	switch rank := port.Shape.Rank(); {
	case slices.ContainsFunc(port.Names, isVector), rank == 3 && answers != nil && port.Shape.At(2) != ir.Dim(int64(len(answers))):
		in := r.model.source.Results[0].Inputs[0] // before selectAnswers
		return faults.Errorf("output %q is %v%v: it is a model of embeddings, which scores no pairs of texts",
			in.Source.Name, in.DeclaredType, in.Declared)
	case rank == 3 && answers == nil:
		return faults.Errorf(`it is a language model, for whose tokenizer "yes" or "no" is not one token`)
	case rank == 3:
		r.joins = true
		r.length.PaddingSide = cmp.Or(r.length.PaddingSide, text.PaddingRight)
	case rank != 2:
		return faults.Errorf("output %q is %v%v, not f32[?,n] or f32[?,?,n] with n classes or tokens", port.Name, port.Type, port.Shape)
	default:
		// A tokenizer that cannot join pairs gets them as one text.
		_, err := r.model.tokenizer.Encode(ctx, []string{""}, text.EncodeOptions{Pairs: []string{""}})
		r.joins = err != nil
	}
	return nil
}

// Compiled returns the compiled model, to ask for its memory, for example.
func (r *Reranker) Compiled() *plugin.CompiledModel { return r.model.compiled }

// Close is like Pipeline.Close.
func (r *Reranker) Close() error { return r.model.close() }

// Rerank returns the documents that answer query best, the best first.
func (r *Reranker) Rerank(ctx context.Context, query string, documents []string, options RerankOptions) ([]Match, error) {
	if options.TopN < 0 {
		return nil, faults.Errorf("TopN is negative: %d", options.TopN)
	}
	scores := make([]float32, len(documents))
	j := job{
		model: r.model, Length: r.length, n: len(documents), pairs: !r.joins,
		text: func(i int) (string, string) {
			if r.joins {
				return query + documents[i], ""
			}
			return query, documents[i]
		},
		receive: func(i int, out *output) error {
			last := 0
			if out.length > 1 {
				last = max(out.first+out.count-1, 0)
			}
			scores[i] = score(out.values[last*out.width : (last+1)*out.width])
			return nil
		},
	}
	if err := j.run(ctx); err != nil {
		return nil, err
	}
	best := top{n: min(cmp.Or(options.TopN, topN), len(documents))}
	for i, score := range scores {
		best.add(Match{Index: i, Score: score})
	}
	return best.sorted(), nil
}

// score returns the probability that logits give to class 1, or to the only class.
func score(logits []float32) float32 {
	if len(logits) == 1 {
		return float32(1 / (1 + math.Exp(-float64(logits[0]))))
	}
	sum := 0.0 // relative to class 1
	for _, v := range logits {
		sum += math.Exp(float64(v) - float64(logits[1]))
	}
	return float32(1 / sum)
}
