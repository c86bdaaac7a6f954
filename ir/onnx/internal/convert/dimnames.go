package convert

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// dimNamesAttribute is the name of the attribute in the rt_info of a port that has the names of its
// unknown lengths, as axis0, axis1 and so on. OpenVINO ignores it. Its own layout allows no name
// twice, and letters, digits and underscores only.
const dimNamesAttribute = "dim_names"

// dimNames returns the rt_info of an input of type t; nil if no length has a name.
func dimNames(t *proto.Type) *etree.Element {
	if t.Shape == nil {
		return nil
	}
	var info, names *etree.Element
	for axis, d := range t.Shape.Dims {
		if d.Known || d.Name == "" || len(d.Name) > maxNameText || strings.ContainsFunc(d.Name, isSpecial) {
			continue
		}
		if info == nil {
			info = etree.NewElement("rt_info")
			names = newAttribute(info, dimNamesAttribute)
		}
		names.CreateAttr("axis"+strconv.Itoa(axis), d.Name)
	}
	return info
}

// isSpecial reports whether XML may not have a character, or whether it is the one that stands for
// bytes that are no UTF-8.
func isSpecial(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }

// DimNames returns the names of the lengths of an input of a model, "" for those without; nil if
// none has one.
func DimNames(parameter *ir.Layer) []string {
	if len(parameter.Outputs) == 0 {
		return nil
	}
	out := &parameter.Outputs[0]
	attribute := ir.RTInfoAttribute(out.RTInfo, dimNamesAttribute)
	if attribute == nil {
		return nil
	}
	names := make([]string, max(out.Declared.Rank(), 0))
	for axis := range names {
		names[axis] = attribute.SelectAttrValue("axis"+strconv.Itoa(axis), "")
	}
	return names
}
