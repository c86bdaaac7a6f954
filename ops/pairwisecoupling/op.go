// Package pairwisecoupling computes PairwiseCoupling: the probabilities of classes from those of
// each two of them, as LibSVM and ONNX Runtime compute them for support vector machines.
//
// Column p of pairs is the probability r[i][j] of class i if it is i or j, for the pairs 0 and 1, 0
// and 2, ..., 1 and 2, ...; and r[j][i] is 1 minus it. The output p of a row makes
//
//	sum over i, and j != i, of (r[j][i]*p[i] - r[i][j]*p[j])²
//
// small, where the elements of p add up to 1. As in LibSVM, it is improved step by step until it is
// near enough: the last digits are those of the steps, not of the exact solution.
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's says it.
//
// Input: pairs, f32 [rows, classes*(classes-1)/2]. Output: f32 [rows, classes].
//
// Attributes: classes, required, from 2 to 4096.
//
// Specification: Wu, Lin and Weng, Probability Estimates for Multi-class Classification by Pairwise
// Coupling, 2004, second method; LibSVM, svm.cpp, multiclass_probability.
package pairwisecoupling

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "PairwiseCoupling", Namespace: "vinoir",
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Infer:      infer,
	Types:      []ir.ElementType{ir.F32},
	Prepare:    prepare,
}}

// maxClasses bounds the matrix of all pairs.
const maxClasses = 4096

type attributes struct{ classes int }

func parse(a *ir.Attributes) (any, error) {
	a.Expect("classes")
	classes := a.Int("classes", 2)
	if classes < 2 || classes > maxClasses {
		a.Fail("classes", "%d, expected 2 to %d", classes, maxClasses)
		classes = 2
	}
	return attributes{int(classes)}, a.Err()
}

func infer(in *ops.Inference) error {
	pairs, n := &in.Inputs[0], in.Attributes.(attributes).classes
	if pairs.Type != ir.F32 && pairs.Type != ir.Dynamic {
		return faults.Errorf("pairs is %v, expected f32", pairs.Type)
	}
	if err := check.Rank("pairs", pairs.Shape, 2); err != nil {
		return err
	}
	rows := ir.AnyDim
	if pairs.Shape.RankKnown() {
		rows = pairs.Shape.At(0)
		if !pairs.Shape.At(1).Contains(int64(n * (n - 1) / 2)) {
			return faults.Errorf("pairs has shape %v, expected rows of %d elements for %d classes", pairs.Shape, n*(n-1)/2, n)
		}
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(rows, ir.Dim(int64(n)))})
}
