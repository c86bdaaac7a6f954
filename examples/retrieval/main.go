// Command retrieval finds the lines of a file that mean the same as a question, and has a language
// model answer from them.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/generate/llm"
)

func main() {
	if len(os.Args) != 4 && len(os.Args) != 5 {
		log.Fatal("usage: retrieval EMBEDDING_DIR FILE QUESTION [MODEL_DIR]")
	}
	ctx := context.Background()
	found, err := retrieve(ctx, os.Stdout, os.Args[1], os.Args[2], os.Args[3])
	if err == nil && len(os.Args) == 5 {
		err = answer(ctx, os.Stdout, os.Args[4], os.Args[3], found)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// retrieve returns the three best lines of a file, and prints them with their scores to w.
func retrieve(ctx context.Context, w io.Writer, dir, file, question string) ([]string, error) {
	pipeline, err := embedding.Open(dir)
	if err != nil {
		return nil, err
	}
	defer pipeline.Close()
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	vectors, err := pipeline.EmbedDocuments(ctx, lines)
	if err != nil {
		return nil, err
	}
	vector, err := pipeline.EmbedQuery(ctx, question)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, match := range vectors.Search(vector, 3) {
		fmt.Fprintf(w, "%.3f %s\n", match.Score, lines[match.Index])
		found = append(found, lines[match.Index])
	}
	return found, nil
}

// answer prints what a language model answers from the lines that were found to w.
func answer(ctx context.Context, w io.Writer, dir, question string, found []string) error {
	pipeline, err := llm.Open(dir)
	if err != nil {
		return err
	}
	defer pipeline.Close()
	config := pipeline.Config()
	config.MaxNewTokens = 200
	prompt := "Answer from these lines only:\n" + strings.Join(found, "\n") + "\n\n" + question
	for piece, err := range pipeline.Stream(ctx, prompt, config) {
		if err != nil {
			return err
		}
		fmt.Fprint(w, piece)
	}
	fmt.Fprintln(w)
	return nil
}
