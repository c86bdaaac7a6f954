// Command chat talks with a language model: each line of standard input is a message.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/vinoir/vinoir/generate/llm"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: chat DIR")
	}
	if err := talk(context.Background(), os.Args[1], os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// talk answers the lines of in with the model in the directory dir.
func talk(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	pipeline, err := llm.Open(dir)
	if err != nil {
		return err
	}
	defer pipeline.Close()
	talk, err := pipeline.NewChat("You are a helpful assistant.")
	if err != nil {
		return err
	}
	config := talk.Config()
	config.MaxNewTokens = 200
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		for piece, err := range talk.Stream(ctx, lines.Text(), config) {
			if err != nil {
				return err
			}
			fmt.Fprint(out, piece)
		}
		fmt.Fprintln(out)
	}
	return lines.Err()
}
