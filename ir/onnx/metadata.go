package onnx

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// DimNames returns the names that the file has for the unknown lengths of an input, one of
// Model.Parameters, such as "batch": "" for lengths without a name, nil if none has one. Equal
// names mean equal lengths. They are in the rt_info of the layer's output, so that an IR that is
// written keeps them.
func DimNames(parameter *ir.Layer) []string { return convert.DimNames(parameter) }

// metadata returns the rt_info of a model: what made the file, and the entries of metadata_props,
// below the element framework, as OpenVINO's converter writes them. In keys, characters that cannot
// be in the name of an element are underscores.
func metadata(m *proto.Model) *etree.Element {
	info := etree.NewElement("rt_info")
	framework := info.CreateElement("framework")
	add := func(key, value string) {
		if value != "" {
			framework.CreateElement(key).CreateAttr("value", value)
		}
	}
	add("format", "onnx")
	add("producer_name", m.ProducerName)
	add("producer_version", m.ProducerVersion)
	add("domain", m.Domain)
	add("ir_version", strconv.FormatInt(m.IRVersion, 10))
	if m.ModelVersion != 0 {
		add("model_version", strconv.FormatInt(m.ModelVersion, 10))
	}
	for _, e := range m.Metadata {
		add(elementName(e.Key), e.Value)
	}
	return info
}

// elementName returns key as the name of an XML element.
func elementName(key string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, key)
	if name == "" || !(name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z') {
		return "_" + name
	}
	return name
}
