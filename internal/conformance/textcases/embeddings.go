package textcases

import (
	"context"
	"math"
	"path/filepath"
	"strconv"

	"github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/textcorpus"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/text"
)

// findEmbeddings returns the cases of embed.json.
func findEmbeddings(path string) ([]conformance.Case, error) {
	file, err := textcorpus.ReadEmbeddings(path)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	cases := make([]conformance.Case, len(file.Cases))
	for i := range file.Cases {
		c, check := &file.Cases[i], embed
		if c.Rerank != nil {
			check = rerank
		}
		cases[i] = conformance.NewCase(conformance.CaseName(folder)+"/"+strconv.Itoa(i), folder, func(ctx context.Context, r *conformance.Runner) error {
			return check(ctx, r, folder, c, file.ATol)
		})
	}
	return cases, nil
}

// embeddingOptions returns the options to open models of embeddings.
func embeddingOptions(r *conformance.Runner) embedding.Options {
	return embedding.Options{Ops: r.Ops(), CompileOptions: r.CompileOptions(), Tokenizer: tokenizerOptions(r)}
}

// tokenizerOptions returns the options to open tokenizers.
func tokenizerOptions(r *conformance.Runner) text.Options {
	return text.Options{Ops: r.Ops(), Threads: r.Threads}
}

// embed compares vectors.
func embed(ctx context.Context, r *conformance.Runner, folder string, c *textcorpus.EmbeddingCase, atol float64) error {
	p, err := embeddingOptions(r).OpenConfig(folder, embeddingConfig(&c.Config))
	if err != nil {
		return err
	}
	defer p.Close()
	documents, err := p.EmbedDocuments(ctx, c.Documents)
	if err != nil {
		return err
	}
	if err := differ("the number of documents", len(c.Documents), len(c.EmbedDocuments)); err != nil {
		return err
	}
	for i, want := range c.EmbedDocuments {
		if err := near("element", documents.Row(i), want, atol); err != nil {
			return faults.Errorf("document %d: %w", i, err)
		}
	}
	query, err := p.EmbedQuery(ctx, c.Query)
	if err == nil {
		err = near("element", query, c.EmbedQuery, atol)
	}
	if err != nil {
		return faults.Errorf("query: %w", err)
	}
	return nil
}

// embeddingConfig returns the same configuration of package embedding.
func embeddingConfig(c *textcorpus.EmbeddingConfig) embedding.Config {
	config := embedding.DefaultConfig()
	if c.Pooling != "" {
		config.Pooling = embedding.Pooling(c.Pooling)
	}
	if c.Normalize != nil {
		config.Normalize = *c.Normalize
	}
	config.QueryInstruction, config.DocumentInstruction = c.QueryInstruction, c.EmbedInstruction
	config.Length = lengthOf(c)
	return config
}

func lengthOf(c *textcorpus.EmbeddingConfig) embedding.Length {
	return embedding.Length{MaxLength: c.MaxLength, PadToMaxLength: c.PadToMaxLength, PaddingSide: text.PaddingSide(c.PaddingSide)}
}

// rerank compares the best documents and their scores.
func rerank(ctx context.Context, r *conformance.Runner, folder string, c *textcorpus.EmbeddingCase, atol float64) error {
	reranker, err := embeddingOptions(r).OpenReranker(folder, lengthOf(&c.Config))
	if err != nil {
		return err
	}
	defer reranker.Close()
	matches, err := reranker.Rerank(ctx, c.Query, c.Documents, embedding.RerankOptions{TopN: c.Config.TopN})
	if err != nil {
		return err
	}
	var indices, wantIndices []int
	var scores, wantScores []float32
	for _, m := range matches {
		indices, scores = append(indices, m.Index), append(scores, m.Score)
	}
	for _, m := range c.Rerank {
		wantIndices, wantScores = append(wantIndices, m.Index), append(wantScores, m.Score)
	}
	if err := differIn("the list of documents", indices, wantIndices); err != nil {
		return err
	}
	return near("score", scores, wantScores, atol)
}

// vectors compares the vectors of a model that is elsewhere in the corpus: folder is in a folder of
// its folder text.
func vectors(ctx context.Context, r *conformance.Runner, folder string) error {
	v, err := textcorpus.ReadVectors(filepath.Join(folder, "case.json"))
	if err != nil {
		return err
	}
	array, err := npy.ReadFile(filepath.Join(folder, vectorsFile))
	if err != nil {
		return err
	}
	of := filepath.Dir(filepath.Dir(folder))
	model, err := irxml.ReadFile(filepath.Join(filepath.Dir(of), v.Model), irxml.ReadOptions{})
	if err != nil {
		return err
	}
	tokenizer, err := tokenizerOptions(r).Open(filepath.Join(of, v.Tokenizer))
	if err != nil {
		return err
	}
	config := embedding.DefaultConfig()
	config.MaxLength = v.MaxLength
	p, err := embeddingOptions(r).New(ctx, model, tokenizer, config)
	if err != nil {
		return err
	}
	defer p.Close()
	got, err := p.Embed(ctx, v.Texts)
	if err != nil {
		return err
	}
	want, err := array.Tensor(ir.F32, ir.Shape{got.Rows, got.Columns})
	if err != nil {
		return err
	}
	largest := 0.0
	for _, x := range ir.Data[float32](want) {
		largest = max(largest, math.Abs(float64(x)))
	}
	return near("element", got.Data, ir.Data[float32](want), v.MaxRel*largest)
}
