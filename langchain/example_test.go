package langchain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tmc/langchaingo/llms"

	"github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/generate/llm"
	"github.com/vinoir/vinoir/langchain"
)

// The models of the examples are random.
func ExampleNew() {
	pipeline, err := llm.Open("../generate/testdata/tiny")
	if err != nil {
		log.Fatal(err)
	}
	defer pipeline.Close()
	model := langchain.New(pipeline.Pipeline)
	response, err := model.GenerateContent(context.Background(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "Be brief."),
		llms.TextParts(llms.ChatMessageTypeHuman, "Why is the sky blue?"),
	}, llms.WithMaxTokens(8), llms.WithTemperature(0.7))
	if err != nil {
		log.Fatal(err)
	}
	choice := response.Choices[0]
	fmt.Println(choice.StopReason, choice.GenerationInfo["CompletionTokens"])
	// Output:
	// length 8
}

func ExampleNewShared() {
	pipeline, err := llm.Open("../generate/testdata/tiny")
	if err != nil {
		log.Fatal(err)
	}
	defer pipeline.Close()
	ctx := context.Background()
	engine, err := generate.NewEngine(pipeline.Model(), pipeline.Tokenizer(), generate.EngineOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)
	answer, err := llms.GenerateFromSinglePrompt(ctx, langchain.NewShared(engine), "The sky is", llms.WithMaxTokens(8))
	fmt.Println(answer != "", err)
	// Output:
	// true <nil>
}

func ExampleNewEmbedder() {
	pipeline, err := embedding.Open("../embedding/testdata/tiny")
	if err != nil {
		log.Fatal(err)
	}
	defer pipeline.Close()
	ctx, embedder := context.Background(), langchain.NewEmbedder(pipeline)
	vectors, err := embedder.EmbedDocuments(ctx, []string{"cats sleep on the sofa", "the stock rose"})
	if err != nil {
		log.Fatal(err)
	}
	query, err := embedder.EmbedQuery(ctx, "cats sleep")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(embedding.Dot(query, vectors[0]) > embedding.Dot(query, vectors[1]))
	// Output:
	// true
}
