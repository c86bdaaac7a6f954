package rangeop

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

var inputNames = [3]string{"start", "stop", "step"}

func infer(in *ops.Inference) error {
	t := ir.Dynamic
	at, converts := in.Attributes.(attributes)
	for i, input := range in.Inputs {
		if input.Shape.RankKnown() && input.Shape.Rank() != 0 {
			return faults.Errorf("%s has shape %v, not that of a scalar", inputNames[i], input.Shape)
		}
		if input.Type != ir.Dynamic && !input.Type.IsFloat() && !input.Type.IsInteger() {
			return faults.Errorf("%s is %v, not a number", inputNames[i], input.Type)
		}
		merged, ok := ir.MergeElementTypes(t, input.Type)
		if !ok && !converts {
			return faults.Errorf("%s is %v, the inputs before it are %v", inputNames[i], input.Type, t)
		}
		t = merged
	}
	if converts {
		t = at.outputType
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = t, ir.ShapeOfRank(1)
	if t == ir.Dynamic {
		return nil
	}
	s, known, err := sequenceOf(in.Inputs, t)
	if err != nil || !known {
		return err
	}
	out.Shape = ir.ShapeOf(ir.Dim(s.count))
	return nil
}

// sequence holds the values of the inputs: integers if the output has an integer type, otherwise
// floats.
type sequence struct {
	start, step           int64
	startFloat, stepFloat float64
	count                 int64
}

// sequenceOf reads the inputs for an output of type t; false if an input is unknown.
func sequenceOf(inputs []ir.Fact, t ir.ElementType) (sequence, bool, error) {
	var floats [3]float64
	var ints [3]int64
	for i := range inputs {
		var known bool
		if floats[i], ints[i], known = scalar(&inputs[i]); !known {
			return sequence{}, false, nil
		}
		if math.IsNaN(floats[i]) || math.IsInf(floats[i], 0) {
			return sequence{}, false, faults.Errorf("%s is %v", inputNames[i], floats[i])
		}
		// In Go, the result of such a conversion depends on the processor.
		if t.IsInteger() && !inputs[i].Type.IsInteger() && (floats[i] < -1<<63 || floats[i] >= 1<<63) {
			return sequence{}, false, faults.Errorf("%s is %v, beyond an int64", inputNames[i], floats[i])
		}
	}
	if t.IsInteger() {
		floats[2] = math.Trunc(floats[2])
	}
	if floats[2] == 0 {
		return sequence{}, false, faults.Errorf("step is 0")
	}
	s := sequence{start: ints[0], step: ints[2], startFloat: floats[0], stepFloat: floats[2]}
	if t.IsInteger() {
		s.count = countInts(ints[0], ints[1], ints[2])
		return s, true, nil
	}
	count := math.Ceil((floats[1] - floats[0]) / floats[2])
	switch {
	case count >= ir.Unbounded:
		return sequence{}, false, faults.Errorf("%v to %v in steps of %v are more elements than an int64 counts", floats[0], floats[1], floats[2])
	case count > 0:
		s.count = int64(count)
	}
	return s, true, nil
}

// countInts returns ceil((stop-start)/step), at least 0.
func countInts(start, stop, step int64) int64 {
	if step > 0 == (start >= stop) || start == stop {
		return 0
	}
	// The differences are exact as unsigned numbers, even if an int64 would overflow.
	span, stride := uint64(stop)-uint64(start), uint64(step)
	if step < 0 {
		span, stride = -span, -stride
	}
	count := (span-1)/stride + 1
	return int64(min(count, ir.Unbounded-1))
}

// scalar returns the value of a tensor of one element, as a float and truncated to an integer.
func scalar(f *ir.Fact) (float64, int64, bool) {
	if ints, known := f.Ints(); known && len(ints) == 1 {
		return float64(ints[0]), ints[0], true
	}
	v, known := check.Float(f)
	return v, int64(v), known
}
