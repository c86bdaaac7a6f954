// Package langchain makes models of vinoir those of langchaingo: a Model is an llms.Model, and an
// Embedder an embeddings.Embedder.
//
//	pipeline, err := llm.Open("model")
//	answer, err := llms.GenerateFromSinglePrompt(ctx, langchain.New(pipeline.Pipeline), "Why is the sky blue?")
//
// All of it runs in the process of the program, and in pure Go: there is no server, and no key.
package langchain

import "github.com/tmc/langchaingo/llms"

// provider is the name of vinoir in errors of langchaingo.
const provider = "vinoir"

// notImplemented is the error of what langchaingo has, and vinoir has not.
func notImplemented(message string) error {
	return llms.NewError(llms.ErrCodeNotImplemented, provider, message)
}
