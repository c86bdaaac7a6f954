package textcorpus

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Embeddings is the content of embed.json in the folder of an embedding model or a reranker.
type Embeddings struct {
	// ATol is the largest difference of vectors and scores.
	ATol  float64 `json:"atol"`
	Cases []EmbeddingCase
}

// EmbeddingCase is what GenAI's TextEmbeddingPipeline or TextRerankPipeline computes for texts.
type EmbeddingCase struct {
	Config    EmbeddingConfig
	Query     string
	Documents []string
	// EmbedDocuments and EmbedQuery are the vectors of Documents and Query.
	EmbedDocuments [][]float32 `json:"embed_documents"`
	EmbedQuery     []float32   `json:"embed_query"`
	// Rerank are the best documents, if the model is a reranker.
	Rerank []Match
}

// EmbeddingConfig is a configuration of GenAI's pipelines.
type EmbeddingConfig struct {
	Pooling          string `json:"pooling_type"`
	Normalize        *bool  // nil is the default, true
	MaxLength        int    `json:"max_length"`
	PadToMaxLength   bool   `json:"pad_to_max_length"`
	PaddingSide      string `json:"padding_side"`
	QueryInstruction string `json:"query_instruction"`
	EmbedInstruction string `json:"embed_instruction"`
	TopN             int    `json:"top_n"`
}

// Match is a document and its score.
type Match struct {
	Index int
	Score float32
}

// UnmarshalJSON implements json.Unmarshaler: a Match is a list of its fields.
func (m *Match) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&m.Index, &m.Score})
}

// ReadEmbeddings reads embed.json.
func ReadEmbeddings(path string) (*Embeddings, error) { return read[Embeddings](path) }

// Vectors is the content of case.json beside the vectors of texts.
type Vectors struct {
	// Model is the path of a model in the corpus, and Tokenizer that of a folder in its folder
	// text. Texts are cut to MaxLength tokens.
	Model, Tokenizer string
	MaxLength        int `json:"-"`
	Texts            []string
	// MaxRel bounds the largest difference, divided by the largest magnitude of all vectors.
	MaxRel float64 `json:"max_rel"`
}

// ReadVectors reads case.json, in which a remark can follow the path of the model.
func ReadVectors(path string) (*Vectors, error) {
	v, err := read[Vectors](path)
	if err != nil {
		return nil, err
	}
	v.Model, _, _ = strings.Cut(v.Model, " ")
	folder, length, _ := strings.Cut(v.Tokenizer, " with max_length ")
	if v.MaxLength, err = strconv.Atoi(length); err != nil {
		return nil, fmt.Errorf("%s: tokenizer %q: %w", path, v.Tokenizer, err)
	}
	v.Tokenizer = folder
	return v, nil
}
