// Command onnx runs ONNX models of five kinds: each file of it is a program of its own kind.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
)

const usage = `usage:
  onnx embed DIR TEXT...
  onnx classify MODEL.onnx PICTURE LABEL...
  onnx detect MODEL.onnx PICTURE LABEL...
  onnx listen MODEL.onnx SOUND.pcm
  onnx predict MODEL.onnx ROWS.csv`

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// run runs the program that the first argument names.
func run(ctx context.Context, w io.Writer, args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("%d arguments; %s", len(args), usage)
	}
	switch model, rest := args[1], args[2:]; args[0] {
	case "embed":
		return embed(ctx, w, model, rest)
	case "classify":
		return classify(ctx, w, model, rest[0], rest[1:])
	case "detect":
		return detect(ctx, w, model, rest[0], rest[1:])
	case "listen":
		return listen(ctx, w, model, rest[0])
	case "predict":
		return predict(ctx, w, model, rest[0])
	}
	return fmt.Errorf("there is no program %s; %s", args[0], usage)
}
