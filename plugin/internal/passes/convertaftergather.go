package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// ConvertAfterGather makes a Gather that reads a converted constant read the constant,
// and converts what it has taken: of a table of a hundred thousand words a text has a
// few, and the table stays as it is in the .bin.
//
//	Gather(Convert(constant), indices, axis) = Convert(Gather(constant, indices, axis))
var ConvertAfterGather = Pass{"ConvertAfterGather", convertAfterGather}

func convertAfterGather(g *Graph) bool {
	if !g.has("Gather") {
		return false
	}
	e := newEditor(g)
	for _, gather := range g.Model.Order {
		if gather.Type != "Gather" || len(gather.Inputs) != 3 {
			continue
		}
		convert := gather.Inputs[0].Source
		if convert.Type != "Convert" || convert.Inputs[0].Source.Constant == nil || gather.Inputs[1].Source.Constant != nil {
			continue
		}
		from, to := convert.Inputs[0].Source.Constant.ElementType(), g.Shapes.Outputs(convert)[0].Type
		if from.Size() == 0 || from.Size() >= to.Size() || !isFewer(g.Shapes.Outputs(gather)[0].Shape, convert.Inputs[0].Source.Constant) {
			continue
		}
		taken := e.insert(gather, gather.Type, gather.Opset, gather.Data, convert.Inputs[0], gather.Inputs[1], gather.Inputs[2])
		converted := e.insert(gather, convert.Type, convert.Opset, convert.Data, ir.Input{Source: taken})
		e.replace(gather, edit.First(converted))
	}
	return e.done()
}

// isFewer reports whether a tensor of shape has fewer elements than table, as far as
// that is known before the run.
func isFewer(shape ir.PartialShape, table *ir.Tensor) bool {
	static, err := shape.Static()
	return err != nil || static.Elements() < table.Len()
}
