package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/text"
)

// embed prints how near each text is to the first one. The directory has model.onnx and the files
// of its tokenizer.
func embed(ctx context.Context, w io.Writer, dir string, texts []string) error {
	tokenizer, err := text.Open(dir)
	if err != nil {
		return err
	}
	model, err := vinoir.Options{Format: onnx.Format{}}.Open(filepath.Join(dir, "model.onnx"))
	if err != nil {
		return err
	}
	defer model.Close()
	tokens, err := tokenizer.Encode(ctx, texts, text.EncodeOptions{})
	if err != nil {
		return err
	}
	ids, mask := make([]int64, len(tokens.IDs)), make([]int64, len(tokens.Mask))
	for i := range ids {
		ids[i], mask[i] = int64(tokens.IDs[i]), int64(tokens.Mask[i])
	}
	inputs := make(vinoir.Tensors)
	for name, data := range map[string][]int64{"input_ids": ids, "attention_mask": mask} {
		if inputs[name], err = ir.TensorFrom(data, tokens.Rows, tokens.Length); err != nil {
			return err
		}
	}
	outputs, err := model.Infer(ctx, inputs)
	if err != nil {
		return err
	}
	states, err := ir.DataOf[float32](outputs["last_hidden_state"])
	if err != nil {
		return err
	}
	vectors := means(states, mask, tokens.Rows)
	for i, line := range texts {
		fmt.Fprintf(w, "%.3f %s\n", embedding.Cosine(vectors[0], vectors[i]), line)
	}
	return nil
}

// means returns the vector of each row: the mean of the states of its tokens, without padding.
func means(states []float32, mask []int64, rows int) [][]float32 {
	size := len(states) / len(mask)
	vectors := make([][]float32, rows)
	for i, kept := range mask {
		row := i * rows / len(mask)
		if vectors[row] == nil {
			vectors[row] = make([]float32, size)
		}
		for j := range size {
			vectors[row][j] += float32(kept) * states[i*size+j] // the cosine ignores lengths
		}
	}
	return vectors
}
