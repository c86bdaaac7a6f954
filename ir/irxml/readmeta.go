package irxml

import (
	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// readMeta sets Model.RTInfo. Files without an rt_info element may have the older elements
// meta_data and quantization_parameters, whose parts are converted to their names in rt_info.
func (g *graph) readMeta() error {
	g.model.RTInfo = g.rtInfo
	if g.rtInfo != nil || g.metaData == nil && g.quantization == nil {
		return nil
	}
	info := etree.NewElement("rt_info")
	if g.metaData != nil {
		for _, child := range g.metaData.ChildElements() {
			switch {
			case child.FullTag() == "cli_parameters":
				child.Tag = "conversion_parameters"
			case child.SelectAttr("value") == nil:
				return &ir.FormatError{Err: faults.Errorf("meta_data: <%s> has no value", child.FullTag())}
			}
			info.AddChild(child)
		}
	}
	if g.quantization != nil {
		g.quantization.Tag = "optimization"
		info.AddChild(g.quantization)
	}
	g.model.RTInfo = info
	return nil
}
