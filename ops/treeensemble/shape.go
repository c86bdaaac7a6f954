package treeensemble

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// parameter describes an input with a part of the trees.
type parameter struct {
	name   string
	port   int
	width  int64 // the length of axis 1; 0 for a vector
	number bool  // it has the type of data
}

var parameters = []parameter{
	{"roots", roots, 0, false},
	{"nodes", nodes, nodeWidth, false},
	{"splits", splits, 0, true},
	{"leaves", leaves, leafWidth, false},
	{"targets", targets, 0, false},
	{"weights", weights, 0, true},
}

// The lengths of the rows of nodes and leaves.
const (
	nodeWidth = 4
	leafWidth = 2
)

func infer(in *ops.Inference) error {
	x := &in.Inputs[data]
	if x.Type != ir.F32 && x.Type != ir.F64 && x.Type != ir.Dynamic {
		return faults.Errorf("data is %v, expected f32 or f64", x.Type)
	}
	if err := check.Rank("data", x.Shape, 2); err != nil {
		return err
	}
	for _, p := range parameters {
		if err := p.check(&in.Inputs[p.port], x.Type); err != nil {
			return err
		}
	}
	rows := ir.AnyDim
	if x.Shape.RankKnown() {
		rows = x.Shape.At(0)
	}
	shape := ir.ShapeOf(rows, ir.Dim(int64(in.Attributes.(attributes).columns)))
	return ops.SetOutputs(in, ir.Fact{Type: x.Type, Shape: shape}, ir.Fact{Type: ir.Boolean, Shape: shape})
}

// check checks the type and the shape of a part of the trees for data of type t.
func (p *parameter) check(f *ir.Fact, t ir.ElementType) error {
	want, rank := ir.I32, 1
	if p.number {
		want = t
	}
	if f.Type != want && f.Type != ir.Dynamic && want != ir.Dynamic {
		return faults.Errorf("%s is %v, expected %v", p.name, f.Type, want)
	}
	if p.width > 0 {
		rank = 2
	}
	if err := check.Rank(p.name, f.Shape, rank); err != nil {
		return err
	}
	if p.width > 0 && f.Shape.RankKnown() && !f.Shape.At(1).Contains(p.width) {
		return faults.Errorf("%s has shape %v, expected rows of %d elements", p.name, f.Shape, p.width)
	}
	return nil
}
