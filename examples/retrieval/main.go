// Command retrieval prints the lines of a file that are most similar to a query.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/vinoir/vinoir/embedding"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: retrieval DIR FILE QUERY")
	}
	if err := retrieve(os.Stdout, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

// retrieve prints the three best lines of a file and their scores to w.
func retrieve(w io.Writer, dir, file, query string) error {
	pipeline, err := embedding.Open(dir)
	if err != nil {
		return err
	}
	defer pipeline.Close()
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	ctx := context.Background()
	vectors, err := pipeline.EmbedDocuments(ctx, lines)
	if err != nil {
		return err
	}
	vector, err := pipeline.EmbedQuery(ctx, query)
	if err != nil {
		return err
	}
	for _, match := range vectors.Search(vector, 3) {
		fmt.Fprintf(w, "%.3f %s\n", match.Score, lines[match.Index])
	}
	return nil
}
