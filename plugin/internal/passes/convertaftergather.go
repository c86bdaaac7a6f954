package passes

import (
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// ConvertAfterGather converts the elements that a Gather takes from a constant, not the whole
// constant. The constant stays in its smaller element type, as in the .bin. An example is a table
// of word embeddings: a text uses few of its rows.
//
//	Gather(Convert(constant), indices, axis) = Convert(Gather(constant, indices, axis))
func ConvertAfterGather(g *ops.Graph) bool {
	if !g.Has("Gather") {
		return false
	}
	e := rewrite.NewEditor(g)
	for _, gather := range g.Model.Order {
		if gather.Type != "Gather" || len(gather.Inputs) != 3 {
			continue
		}
		convert := gather.Inputs[0].Source
		if convert.Type != "Convert" || convert.Inputs[0].Source.Constant == nil || gather.Inputs[1].Source.Constant != nil {
			continue
		}
		from, to := convert.Inputs[0].Source.Constant.ElementType(), g.Shapes.Outputs(convert)[0].Type
		if from.Size() == 0 || from.Size() >= to.Size() || !rewrite.IsFewer(g.Shapes.Outputs(gather)[0].Shape, convert.Inputs[0].Source.Constant) {
			continue
		}
		taken := e.AddLayer(gather, gather.Type, gather.Opset, gather.Data, convert.Inputs[0], gather.Inputs[1], gather.Inputs[2])
		converted := e.AddLayer(gather, convert.Type, convert.Opset, convert.Data, ir.Input{Source: taken})
		e.ReplaceLayer(gather, edit.First(converted))
	}
	return e.Done()
}
