// Package priorbox infers PriorBox and PriorBoxClustered, which lay boxes of given sizes on a grid
// over an image.
//
// Versions: PriorBox-1; PriorBox-8, with the attribute min_max_aspect_ratios_order;
// PriorBoxClustered-1.
//
// Inputs: output_size, the [height,width] of the grid, and image_size, both vectors of an integer
// type.
//
// Output: [2,height*width*P*4] of type f32, the boxes and their variances. P is the number of boxes
// at each point of the grid. PriorBoxClustered has one box for each pair of width and height.
// PriorBox has
//
//	R * len(min_size) + len(max_size)
//	R + len(min_size) - 1                   if scale_all_sizes is false
//	R * len(fixed_size)                     if there is a fixed_size
//
// boxes. R is the number of different aspect ratios. 1 is one of them, and, if flip is true, so is
// the inverse of each. Each density d, truncated to an integer, adds
//
//	(d*d - 1) * R
//	(d*d - 1) * len(fixed_ratio)            if there is a fixed_ratio
//
// boxes.
//
// Attributes: offset has no default. Lists are empty by default. This includes width and height,
// for which the specification has 1. flip is false; scale_all_sizes and min_max_aspect_ratios_order
// are true; step, step_w and step_h are 0; clip is false in PriorBox and true in PriorBoxClustered.
//
// Errors: an output_size that does not have two elements, and a width and a height of different
// lengths.
//
// Specification: OpenVINO operation set, detection, PriorBox-1, PriorBox-8, PriorBoxClustered-1.
package priorbox

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	priorBox("PriorBox", 1, func(a *ir.Attributes) (any, error) { return parse(a, 1) }),
	priorBox("PriorBox", 8, func(a *ir.Attributes) (any, error) { return parse(a, 8) }),
	priorBox("PriorBoxClustered", 1, parseClustered),
}

func priorBox(name string, version int, parse func(*ir.Attributes) (any, error)) ops.Op {
	return ops.Op{
		Type: name, Version: version,
		Inputs:     ops.Exactly(2),
		Attributes: parse,
		Values:     []int{0},
		Infer:      infer,
	}
}

type attributes struct {
	priors ir.Dimension // the number of boxes at each point of the grid
}

func parse(a *ir.Attributes, version int) (any, error) {
	a.Expect("offset")
	a.Bool("clip", false)
	for _, name := range []string{"step", "offset"} {
		a.Float(name, 0)
	}
	a.Floats("variance")
	if version >= 8 {
		a.Bool("min_max_aspect_ratios_order", true)
	}
	ratios := float64(countRatios(a.Floats("aspect_ratio"), a.Bool("flip", false)))
	minSizes, maxSizes := float64(len(a.Floats("min_size"))), float64(len(a.Floats("max_size")))
	fixedSizes, fixedRatios := float64(len(a.Floats("fixed_size"))), float64(len(a.Floats("fixed_ratio")))
	priors := ratios*minSizes + maxSizes
	if !a.Bool("scale_all_sizes", true) {
		priors = ratios + minSizes - 1
	}
	if fixedSizes > 0 {
		priors = ratios * fixedSizes
	}
	each := ratios
	if fixedRatios > 0 {
		each = fixedRatios
	}
	for _, d := range a.Floats("density") {
		d = math.Trunc(float64(float32(d)))
		priors += each * (d*d - 1)
	}
	return attributes{count(priors)}, a.Err()
}

// count returns n as a dimension; any length if n is too large for float64 to be exact.
func count(n float64) ir.Dimension {
	if !(math.Abs(n) < 1<<53) {
		return ir.AnyDim
	}
	return ir.DimOfInt(int64(n))
}

// countRatios returns the number of different aspect ratios, rounded to six decimals in float32. 1
// is always one of them. As in OpenVINO, a NaN at the start is the only ratio, and another NaN is
// ignored.
func countRatios(list []float64, flip bool) int {
	ratios := make(map[float32]struct{})
	add := func(r float32) {
		if r == r {
			ratios[float32(math.Round(float64(r*1e6)))/1e6] = struct{}{}
		}
	}
	for i, r := range list {
		if i == 0 && math.IsNaN(r) {
			return 1
		}
		add(float32(r))
		if flip {
			add(1 / float32(r))
		}
	}
	add(1)
	return len(ratios)
}

func parseClustered(a *ir.Attributes) (any, error) {
	a.Expect("offset")
	a.Bool("clip", true)
	for _, name := range []string{"step", "step_w", "step_h", "offset"} {
		a.Float(name, 0)
	}
	a.Floats("variance")
	widths, heights := a.Floats("width"), a.Floats("height")
	if len(widths) != len(heights) {
		a.Fail("height", "it has %d numbers, width has %d", len(heights), len(widths))
	}
	return attributes{ir.Dim(int64(len(widths)))}, a.Err()
}
