package langchain

import (
	"context"

	"github.com/tmc/langchaingo/embeddings"

	"github.com/vinoir/vinoir/embedding"
)

// Embedder is an embeddings.Embedder. It is safe for concurrent use.
type Embedder struct{ pipeline *embedding.Pipeline }

var _ embeddings.Embedder = (*Embedder)(nil)

// NewEmbedder returns an Embedder of pipeline, which must be closed after it.
func NewEmbedder(pipeline *embedding.Pipeline) *Embedder { return &Embedder{pipeline} }

// EmbedDocuments returns the vectors of documents, each with DocumentInstruction of the Pipeline's
// Config before it. It divides them into batches itself: one call with all of them is the fastest.
func (e *Embedder) EmbedDocuments(ctx context.Context, documents []string) ([][]float32, error) {
	matrix, err := e.pipeline.EmbedDocuments(ctx, documents)
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, matrix.Rows)
	for i := range vectors {
		vectors[i] = matrix.Row(i)
	}
	return vectors, nil
}

// EmbedQuery returns the vector of a text that is searched for, with QueryInstruction before it.
func (e *Embedder) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	return e.pipeline.EmbedQuery(ctx, query)
}
