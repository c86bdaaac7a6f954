package embedding_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/ops/builtin"
)

// The models of the examples are random: all that their vectors say is which words texts share.
var documents = []string{"cats sleep on the sofa", "the market fell on monday", "cats like warm milk"}

func ExamplePipeline() {
	ctx := context.Background()
	config, err := embedding.ReadConfig(os.DirFS("testdata/tiny"), ".")
	if err != nil {
		log.Fatal(err)
	}
	config.Pooling = embedding.Mean
	pipeline, err := embedding.Options{Ops: builtin.Ops()}.OpenConfig("testdata/tiny", config)
	if err != nil {
		log.Fatal(err)
	}
	defer pipeline.Close()
	vectors, err := pipeline.EmbedDocuments(ctx, documents)
	if err != nil {
		log.Fatal(err)
	}
	query, err := pipeline.EmbedQuery(ctx, "milk for cats")
	if err != nil {
		log.Fatal(err)
	}
	for _, match := range vectors.Search(query, 2) {
		fmt.Println(documents[match.Index])
	}
	// Output:
	// cats like warm milk
	// cats sleep on the sofa
}

func ExampleReranker() {
	reranker, err := embedding.OpenReranker("testdata/reranker")
	if err != nil {
		log.Fatal(err)
	}
	defer reranker.Close()
	matches, err := reranker.Rerank(context.Background(), "milk for cats", documents, embedding.RerankOptions{TopN: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, match := range matches {
		fmt.Printf("%.3f %s\n", match.Score, documents[match.Index])
	}
	// Output:
	// 0.964 the market fell on monday
	// 0.949 cats sleep on the sofa
}
