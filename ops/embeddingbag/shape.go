package embeddingbag

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// inferOffsets is the shape rule of bags that offsets gives.
func inferOffsets(in *ops.Inference) error {
	if err := checkIndices(in.Inputs[1:], port{"indices", 1}, port{"offsets", 1}, port{"default_index", 0}); err != nil {
		return err
	}
	if _, err := checkWeights(in, 4, 1); err != nil {
		return err
	}
	return inferRows(in, in.Inputs[2].Shape.At(0))
}

// inferPacked is the shape rule of bags that are rows of indices.
func inferPacked(in *ops.Inference) error {
	if err := checkIndices(in.Inputs[1:], port{"indices", 2}); err != nil {
		return err
	}
	indices, err := checkWeights(in, 2, 2)
	if err != nil {
		return err
	}
	return inferRows(in, indices.At(0))
}

// inferSegments is the shape rule of EmbeddingSegmentsSum.
func inferSegments(in *ops.Inference) error {
	ports := []port{{"indices", 1}, {"segment_ids", 1}, {"num_segments", 0}, {"default_index", 0}}
	if err := checkIndices(in.Inputs[1:], ports...); err != nil {
		return err
	}
	if indices, ids := in.Inputs[1].Shape, in.Inputs[2].Shape; !indices.Compatible(ids) {
		return faults.Errorf("indices has shape %v, segment_ids has shape %v", indices, ids)
	}
	if _, err := checkWeights(in, 5, 1); err != nil {
		return err
	}
	segments, err := check.LengthOf(in, 3, "num_segments")
	if err != nil {
		return err
	}
	return inferRows(in, segments)
}

// port is an input that holds indices.
type port struct {
	name string
	rank int
}

// checkIndices checks the connected inputs against ports. Their type must be that of the first, i32
// or i64.
func checkIndices(inputs []ir.Fact, ports ...port) error {
	for i, p := range ports[:min(len(ports), len(inputs))] {
		if err := check.KnownIndex(p.name, inputs[i].Type); err != nil {
			return err
		}
		if inputs[i].Type != inputs[0].Type {
			return faults.Errorf("%s is %v, %s is %v", p.name, inputs[i].Type, ports[0].name, inputs[0].Type)
		}
		if err := check.Rank(p.name, inputs[i].Shape, p.rank); err != nil {
			return err
		}
	}
	return nil
}

// checkWeights checks per_sample_weights, input i, if it is connected. It returns the shape of
// indices, merged with that of the weights.
func checkWeights(in *ops.Inference, i, rank int) (ir.PartialShape, error) {
	indices := in.Inputs[1].Shape
	if i >= len(in.Inputs) {
		return indices, nil
	}
	weights, table := &in.Inputs[i], &in.Inputs[0]
	if _, ok := in.Attributes.(mean); ok {
		return indices, errors.New("per_sample_weights goes with reduction sum, not mean")
	}
	if _, ok := ir.MergeElementTypes(table.Type, weights.Type); !ok {
		return indices, faults.Errorf("emb_table is %v, per_sample_weights is %v", table.Type, weights.Type)
	}
	if err := check.Rank("per_sample_weights", weights.Shape, rank); err != nil {
		return indices, err
	}
	both, ok := indices.Merge(weights.Shape)
	if !ok {
		return indices, faults.Errorf("indices has shape %v, per_sample_weights has shape %v", indices, weights.Shape)
	}
	return both, nil
}

// inferRows sets the output to n rows with the shape of a row of the table.
func inferRows(in *ops.Inference, n ir.Dimension) error {
	table, out := &in.Inputs[0], &in.Outputs[0]
	out.Type, out.Shape = table.Type, table.Shape
	switch table.Shape.Rank() {
	case -1:
		return nil
	case 0:
		return errors.New("emb_table is a scalar, which has no rows")
	}
	out.Shape = table.Shape.With(0, n)
	return nil
}
