// Package regionyolo turns the last features of a YOLO network into boxes, confidences and classes.
//
//	output[n,r,e,y,x] = f(data[n,r,e,y,x])
//
// e counts the elements of region r: coords coordinates, a confidence and the classes. f is the
// logistic function for the first two coordinates and the confidence, and the identity for the
// other coordinates. For the classes it is softmax if do_softmax is true, and the logistic function
// otherwise.
//
// The regions are the first channels of data: num of them if do_softmax is true, otherwise as many
// as mask has elements. Other channels are copied if do_softmax is true, and left out otherwise.
// OpenVINO applies the logistic function twice to some elements if coords is below 2.
//
// Versions: RegionYolo-1.
//
// Input: data [N,C,H,W] of a floating-point type. f16 and bf16 are computed in float32 and rounded
// once.
//
// Output: the type of data. If do_softmax is true, it has the shape of data with the axes from axis
// to end_axis flattened into one. Otherwise it has shape [N,(classes+coords+1)*len(mask),H,W].
//
// Attributes:
//   - coords, classes and num: the numbers of coordinates of a box, of classes and of regions.
//   - axis and end_axis: negative numbers count from the back.
//   - do_softmax: false by default as in OpenVINO; the specification has true.
//   - mask: the regions to use, none by default.
//   - anchors: the sizes of the regions, none by default.
//
// Errors: an axis or end_axis that data does not have; fewer channels than the regions have, where
// OpenVINO reads beyond the end of data.
//
// Specification: OpenVINO operation set, detection, RegionYolo-1.
package regionyolo

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "RegionYolo", Version: 1,
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Types:      floats.Types,
	Infer:      infer,
	Prepare:    widened.Prepare(widened.Halves, prepare, 0),
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
		doSoftmax: a.Bool("do_softmax", false), // the specification has the default true
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

// maxCount bounds the numbers whose product is a length.
const maxCount = 1 << 30
