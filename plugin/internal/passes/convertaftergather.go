package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// ConvertAfterGather converts the elements that a Gather takes from a constant, not the whole
// constant. The constant stays in its smaller element type, as in the .bin. An example is a table of
// word embeddings: a text uses few of its rows.
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

// isFewer reports whether a tensor of the given shape has fewer elements than table. A tensor whose
// shape is not static is assumed to have fewer.
func isFewer(shape ir.PartialShape, table *ir.Tensor) bool {
	static, err := shape.Static()
	return err != nil || static.Elements() < table.Len()
}
