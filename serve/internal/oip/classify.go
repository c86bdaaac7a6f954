package oip

import (
	"fmt"
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// ParameterClassification is the parameter of a requested output that asks for its largest elements
// instead of all: how many.
const ParameterClassification = "classification"

// Classify replaces the outputs of response that request wants as classes: by BYTES with one text
// for each of the largest elements, "VALUE:INDEX". For a model whose first axis counts rows, the
// elements of each row are ranked for themselves.
func Classify(service Service, request *InferRequest, response *InferResponse) error {
	wanted := make(map[string]int)
	for _, requested := range request.Outputs {
		value, ok := requested.Parameters[ParameterClassification]
		if !ok {
			continue
		}
		count, ok := value.(int64)
		if !ok || count < 1 {
			return Errorf(Malformed, "output %.100q: the parameter %s is %.40s, expected a number of classes",
				requested.Name, ParameterClassification, fmt.Sprint(value))
		}
		wanted[requested.Name] = int(min(count, math.MaxInt32))
	}
	if len(wanted) == 0 {
		return nil
	}
	config, err := service.ModelConfig(response.Model, response.Version)
	if err != nil {
		return err
	}
	response.Outputs = slices.Clone(response.Outputs) // which a cache can have too
	for i, output := range response.Outputs {
		count, ok := wanted[output.Name]
		if !ok {
			continue
		}
		response.Outputs[i].Tensor, err = classes(output.Tensor, count, config.MaxBatchSize > 0)
		if err != nil {
			return Errorf(Malformed, "output %.100q: %v", output.Name, err)
		}
	}
	return nil
}

// classes returns the texts of the count largest elements of t, or of each row of t.
func classes(t *ir.Tensor, count int, rows bool) (*ir.Tensor, error) {
	if t.ElementType() == ir.String {
		return nil, Errorf(Malformed, "texts have no classes")
	}
	n, length := 1, t.Len()
	if rows = rows && len(t.Shape()) > 0; rows {
		n, length = t.Shape()[0], t.Shape()[1:].Elements()
	}
	count = min(count, length)
	shape := ir.Shape{n, count}
	if !rows {
		shape = shape[1:]
	}
	if count == 0 {
		return ir.StringTensor(shape, nil) // nothing bounds the number of empty rows
	}
	flat, err := ir.TensorOfBytes(t.ElementType(), ir.Shape{n, length}, t.Bytes())
	if err != nil {
		return nil, err
	}
	ranked, err := ir.TopK(flat, count)
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, n*count)
	for _, row := range ranked {
		for _, r := range row {
			texts = append(texts, fmt.Sprintf("%f:%d", r.Value, r.Index))
		}
	}
	return ir.StringTensor(shape, texts)
}
