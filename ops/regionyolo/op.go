// Package regionyolo infers RegionYolo, which turns the last features of a YOLO
// network into boxes, confidences and classes.
//
//	output[n,r,e,y,x] = f(data[n,r,e,y,x])
//
// for the elements e of each region r, which are coords coordinates, a confidence and
// the classes: f is the logistic function for the first two coordinates and the
// confidence, the identity for the other coordinates and, for the classes, softmax
// with do_softmax and the logistic function without. Versions: RegionYolo-1. Input:
// data [N,C,H,W] of a floating-point type. Output: with do_softmax the shape of data
// with the axes from axis to end_axis flattened into one, without it
// [N,(classes+coords+1)*len(mask),H,W].
//
// Attributes: coords, classes and num, the numbers of a box's coordinates, of the
// classes and of the regions; axis and end_axis, negative ones count from the back;
// do_softmax, which OpenVINO takes for false where it is missing; mask, the regions
// to use, none where it is missing; anchors, the sizes of the regions, none where it
// is missing. Errors: an axis or end_axis beyond those of data.
//
// Specification: OpenVINO operation set, detection, RegionYolo-1.
package regionyolo

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "RegionYolo", Version: 1,
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	coords, classes, num int64
	axis, endAxis        int64
	doSoftmax            bool
	mask                 []int64
	anchors              []float64
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"axis", "coords", "classes", "end_axis", "num"} {
		a.Expect(name)
	}
	at := &attributes{
		coords: a.Int("coords", 0), classes: a.Int("classes", 0), num: a.Int("num", 0),
		axis: a.Int("axis", 0), endAxis: a.Int("end_axis", 0),
		doSoftmax: a.Bool("do_softmax", false), // true to the specification
		mask:      a.Ints("mask"), anchors: a.Floats("anchors"),
	}
	for _, count := range []struct {
		name  string
		value int64
	}{{"coords", at.coords}, {"classes", at.classes}, {"num", at.num}} {
		if count.value < 0 || count.value > maxCount {
			a.Fail(count.name, "%d is outside [0,%d]", count.value, maxCount)
		}
	}
	return at, a.Err()
}

// maxCount bounds numbers of which a product is a length.
const maxCount = 1 << 30
