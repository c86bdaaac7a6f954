package main

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// greatCircle is the layer type GreatCircle of the namespace "geography". It computes the length of
// the shortest path between pairs of places on a sphere:
//
//	output[i] = 2 radius asin(sqrt(hav(φ2-φ1) + cos φ1 cos φ2 hav(λ2-λ1)))
//	hav(x)    = sin²(x/2)
//
// where (φ1,λ1) = from[i] and (φ2,λ2) = to[i] are latitude and longitude in degrees.
//
// Inputs: from and to, f32[N,2]. Output: f32[N], in the unit of radius. Attributes: radius, by
// default the radius of the earth in kilometres.
var greatCircle = ops.Op{
	Type: "GreatCircle", Namespace: "geography",
	Inputs:     ops.Exactly(2),
	Types:      []ir.ElementType{ir.F32},
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}

type attributes struct {
	radius float64
}

func parse(a *ir.Attributes) (any, error) {
	radius := a.Float("radius", 6371)
	if !(radius > 0) {
		a.Fail("radius", "%v is not above 0", radius)
	}
	return attributes{radius}, a.Err()
}

// infer infers the output for static, dynamic and unknown shapes of the inputs. It merges what is
// known about the two inputs.
func infer(in *ops.Inference) error {
	pairs := ir.ShapeOf(ir.AnyDim, ir.Dim(2))
	for i, input := range in.Inputs {
		if _, ok := ir.MergeElementTypes(input.Type, ir.F32); !ok {
			return fmt.Errorf("input %d is %v, expected %v", i, input.Type, ir.F32)
		}
		merged, ok := pairs.Merge(input.Shape)
		if !ok {
			return fmt.Errorf("input %d is %v, expected %v", i, input.Shape, pairs)
		}
		pairs = merged
	}
	in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(pairs.At(0))}
	return nil
}

// pairCost is about the time of a pair in nanoseconds.
const pairCost = 64

// prepare does the work that depends only on attributes and shapes. The kernel that it returns does
// not allocate.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	radius := p.Attributes.(attributes).radius
	part := func(r *ops.Run, lo, hi int) error {
		from, to := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Inputs[1])
		out := ir.Data[float32](r.Outputs[0])
		for i := lo; i < hi; i++ {
			out[i] = float32(radius * angle(from[2*i], from[2*i+1], to[2*i], to[2*i+1]))
		}
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(r.Outputs[0].Len(), ops.Grain(pairCost), part) }}, nil
}

// angle returns the angle in radians between two places, whose coordinates are in degrees.
func angle(lat1, lon1, lat2, lon2 float32) float64 {
	const degree = math.Pi / 180
	phi1, phi2 := float64(lat1)*degree, float64(lat2)*degree
	h := hav(phi2-phi1) + math.Cos(phi1)*math.Cos(phi2)*hav(float64(lon2-lon1)*degree)
	return 2 * math.Asin(math.Sqrt(min(h, 1)))
}

// hav returns the haversine of x.
func hav(x float64) float64 {
	s := math.Sin(x / 2)
	return s * s
}
