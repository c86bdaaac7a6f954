// Command classify prints the most likely classes of a picture.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/preprocess"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: classify MODEL.xml PICTURE LABELS.txt")
	}
	if err := classify(os.Stdout, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

// classify prints the three most likely classes. The file of labels has a line for each class.
func classify(w io.Writer, modelFile, pictureFile, labelsFile string) error {
	model, err := vinoir.Open(modelFile)
	if err != nil {
		return err
	}
	defer model.Close()
	text, err := os.ReadFile(labelsFile)
	if err != nil {
		return err
	}
	labels := strings.Split(strings.TrimSpace(string(text)), "\n")
	picture, err := preprocess.ReadFile(pictureFile, 0)
	if err != nil {
		return err
	}

	// This network takes RGB from 0 to 1. Its input says the rest: element type, layout and size.
	recipe := preprocess.Image{Scale: []float64{255}}
	input, output := model.Inputs()[0], model.Outputs()[0]
	tensor, err := recipe.TensorFor(input.Type, input.Shape, picture)
	if err != nil {
		return err
	}
	outputs, err := model.Infer(context.Background(), vinoir.Tensors{input.Name: tensor})
	if err != nil {
		return err
	}
	best, err := ir.TopK(outputs[output.Name], 3)
	if err != nil {
		return err
	}
	for _, class := range best[0] {
		if class.Index >= len(labels) {
			return fmt.Errorf("%s has no label for class %d", labelsFile, class.Index)
		}
		fmt.Fprintf(w, "%.3f %s\n", class.Value, labels[class.Index])
	}
	return nil
}
