package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/onnxextension"
)

// predict prints the label of each row of a file of numbers, and how likely it is. The model is one
// of scikit-learn.
func predict(ctx context.Context, w io.Writer, modelFile, rowsFile string) error {
	// Trees, encoders and strings are layer types that OpenVINO does not have.
	options := vinoir.Options{Format: onnx.Format{}, Ops: append(builtin.Ops(), onnxextension.Ops()...)}
	model, err := options.Open(modelFile)
	if err != nil {
		return err
	}
	defer model.Close()
	rows, err := readRows(rowsFile)
	if err != nil {
		return err
	}
	x, err := ir.TensorFrom(rows)
	if err != nil {
		return err
	}
	outputs, err := model.Infer(ctx, vinoir.Tensors{model.Inputs()[0].Name: x})
	if err != nil {
		return err
	}
	probabilities, err := ir.DataOf[float32](outputs["probabilities"])
	if err != nil {
		return err
	}
	labels := outputs["label"].Strings()
	classes := len(probabilities) / max(len(labels), 1)
	for i, label := range labels {
		fmt.Fprintf(w, "%s %.2f\n", label, probabilities[i*classes:(i+1)*classes])
	}
	return nil
}

// readRows reads a file of comma-separated numbers.
func readRows(path string) ([][]float32, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	rows := make([][]float32, len(records))
	for i, record := range records {
		for _, field := range record {
			x, err := strconv.ParseFloat(field, 32)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i+1, err)
			}
			rows[i] = append(rows[i], float32(x))
		}
	}
	return rows, nil
}
