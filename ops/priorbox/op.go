// Package priorbox computes PriorBox and PriorBoxClustered, which lay boxes of given sizes on a
// grid over an image.
//
//	output[0, i, :] = (x-w/2)/image width, (y-h/2)/image height, (x+w/2)/image width, (y+h/2)/image height
//	output[1, i, :] = variance
//
// Here [2,height*width*P*4] is seen as [2,height*width*P,4], x and y are the centre of box i, and w
// and h are its size. All boxes of a point follow one another, and so do the points of a row.
//
// Versions: PriorBox-1; PriorBox-8, with the attribute min_max_aspect_ratios_order;
// PriorBoxClustered-1.
//
// Inputs: output_size, the [height,width] of the grid, and image_size, both vectors of an integer
// type. The kernel accepts integers of 8 bits or more.
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
// The boxes of a point are, in this order:
//
//   - For each fixed_size f: with a fixed_ratio, boxes of width f*sqrt(r) and height f/sqrt(r) for
//     each r of it. Without, squares of f, rounded towards 0, and then such boxes for each aspect
//     ratio except 1. Of each kind there are d*d boxes in rows and columns around the point, where
//     d is the density. They are s = f/d, rounded towards 0, apart; the first is (s-f)/2 from the
//     point, with f rounded towards 0. As in OpenVINO, their upper left corner is clipped at 0 and
//     their lower right one at 1.
//   - For each min_size m: a square of m; a square of sqrt(m*M), if there is a max_size M of the
//     same index; boxes of width m*sqrt(r) and height m/sqrt(r) for each aspect ratio r except 1.
//     If min_max_aspect_ratios_order is false, the square of sqrt(m*M) comes last. If
//     scale_all_sizes is false, boxes of aspect ratios follow only the last m, but have the size of
//     the first.
//
// The rule for P above does not always count them. As in OpenVINO, the output then has as many of
// the boxes as fit, one point after the other. If there are too few, the others are 0.
//
// The point in row i and column j is at ((j+offset)*step, (i+offset)*step). If step is 0, it is the
// centre of its cell of the grid, whatever offset is. If scale_all_sizes is false, min_size and
// step are multiplied by the height of the image, and a step of -1 is the height of a cell. In
// PriorBoxClustered, step_w and step_h replace step unless they are 0. If all are 0, the steps are
// the width and height of a cell, to which offset applies.
//
// If clip is true, all coordinates are clipped to the range from 0 to 1. variance has one number
// for all coordinates or four; without, it is 0.1. An image without width or height gives infinite
// coordinates and NaN.
//
// Attributes: offset has no default. Lists are empty by default. This includes width and height,
// for which the specification has 1. flip is false; scale_all_sizes and min_max_aspect_ratios_order
// are true; step, step_w and step_h are 0; clip is false in PriorBox and true in PriorBoxClustered.
//
// Errors: an output_size that does not have two elements, and a width and a height of different
// lengths; before running also an image_size without two elements, a variance that is negative or
// does not have 0, 1 or 4 numbers, a ratio that is not above 0, and a fixed_size without density.
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
		Types:      []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64},
		Attributes: parse,
		Values:     []int{0, 1},
		Infer:      infer,
		Prepare:    prepare,
	}
}

type attributes struct {
	priors       ir.Dimension // the number of boxes at each point of the grid
	clip         bool
	offset, step float64
	variance     []float64
	sizes        *sizes     // nil in PriorBoxClustered
	clusters     *clustered // nil in PriorBox
}

// sizes are the attributes of PriorBox alone.
type sizes struct {
	minSize, maxSize, aspectRatio    []float64
	fixedSize, fixedRatio, density   []float64
	flip, scaleAll, maxBeforeAspects bool
}

// clustered are the attributes of PriorBoxClustered alone.
type clustered struct {
	width, height []float64
	stepW, stepH  float64
}

// list returns attribute name, each number rounded to float32, as OpenVINO stores it.
func list(a *ir.Attributes, name string) []float64 {
	values := a.Floats(name)
	for i, v := range values {
		values[i] = float64(float32(v))
	}
	return values
}

// number returns attribute name, rounded to float32; 0 if it is missing.
func number(a *ir.Attributes, name string) float64 { return float64(float32(a.Float(name, 0))) }

func parse(a *ir.Attributes, version int) (any, error) {
	a.Expect("offset")
	s := &sizes{
		minSize: list(a, "min_size"), maxSize: list(a, "max_size"), aspectRatio: list(a, "aspect_ratio"),
		fixedSize: list(a, "fixed_size"), fixedRatio: list(a, "fixed_ratio"), density: list(a, "density"),
		flip: a.Bool("flip", false), scaleAll: a.Bool("scale_all_sizes", true), maxBeforeAspects: true,
	}
	if version >= 8 {
		s.maxBeforeAspects = a.Bool("min_max_aspect_ratios_order", true)
	}
	ratios := float64(countRatios(s.aspectRatio, s.flip))
	minSizes, maxSizes := float64(len(s.minSize)), float64(len(s.maxSize))
	fixedSizes, fixedRatios := float64(len(s.fixedSize)), float64(len(s.fixedRatio))
	priors := ratios*minSizes + maxSizes
	if !s.scaleAll {
		priors = ratios + minSizes - 1
	}
	if fixedSizes > 0 {
		priors = ratios * fixedSizes
	}
	each := ratios
	if fixedRatios > 0 {
		each = fixedRatios
	}
	for _, d := range s.density {
		d = math.Trunc(d)
		priors += each * (d*d - 1)
	}
	return attributes{
		priors: count(priors),
		clip:   a.Bool("clip", false), offset: number(a, "offset"), step: number(a, "step"),
		variance: list(a, "variance"),
		sizes:    s,
	}, a.Err()
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
	c := &clustered{
		width: list(a, "width"), height: list(a, "height"),
		stepW: number(a, "step_w"), stepH: number(a, "step_h"),
	}
	if len(c.width) != len(c.height) {
		a.Fail("height", "it has %d numbers, width has %d", len(c.height), len(c.width))
	}
	return attributes{
		priors: ir.Dim(int64(len(c.width))),
		clip:   a.Bool("clip", true), offset: number(a, "offset"), step: number(a, "step"),
		variance: list(a, "variance"),
		clusters: c,
	}, a.Err()
}
