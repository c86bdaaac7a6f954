package main

import (
	"context"
	"fmt"
	"io"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/preprocess"
)

// classify prints what a picture shows. There is a label for each class of the model.
func classify(ctx context.Context, w io.Writer, modelFile, pictureFile string, labels []string) error {
	model, err := vinoir.Options{Format: onnx.Format{}}.Open(modelFile)
	if err != nil {
		return err
	}
	defer model.Close()
	picture, err := preprocess.ReadFile(pictureFile, 0)
	if err != nil {
		return err
	}
	// image_mean and image_std of preprocessor_config.json, times 255.
	recipe := preprocess.Image{Mean: []float64{123.675, 116.28, 103.53}, Scale: []float64{58.395, 57.12, 57.375}}
	input := model.Inputs()[0]
	pixels, err := recipe.TensorFor(input.Type, input.Shape, picture)
	if err != nil {
		return err
	}
	outputs, err := model.Infer(ctx, vinoir.Tensors{input.Name: pixels})
	if err != nil {
		return err
	}
	best, err := ir.TopK(outputs["logits"], 1)
	if err != nil {
		return err
	}
	if class := best[0][0].Index; class < len(labels) {
		fmt.Fprintf(w, "%s\n", labels[class])
		return nil
	}
	return fmt.Errorf("class %d has no label: there are %d", best[0][0].Index, len(labels))
}
