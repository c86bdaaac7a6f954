package convert

import (
	"math"

	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// segment is a part of a row: a special token, or the tokens of the text.
type segment struct {
	id     int32 // -1 for the text
	typeID int32
}

// setSegments sets what stands around the tokens of a text.
func (c *converter) setSegments() {
	c.segments = []segment{{id: -1}}
	component, path := c.file.PostProcessor, "post_processor"
	if component == nil {
		return
	}
	if component.Type == "Sequence" { // the first that adds tokens counts
		for _, one := range component.Processors {
			if one.Type != "ByteLevel" && one.Type != "Sequence" {
				component = one
				break
			}
		}
	}
	switch component.Type {
	case "ByteLevel", "Sequence":
	case "BertProcessing", "RobertaProcessing":
		c.segments = []segment{{id: component.CLS.ID}, {id: -1}, {id: component.SEP.ID}}
	case "TemplateProcessing":
		c.setTemplate(component, path+".single")
	default:
		c.refuseType(component, path)
	}
}

// setTemplate sets the segments of a template. Of a special token with several ids, the first
// counts.
func (c *converter) setTemplate(component *hf.Component, path string) {
	c.segments = nil
	texts := 0
	for _, piece := range component.Single {
		if piece.SpecialToken == nil {
			texts++
			c.segments = append(c.segments, segment{-1, piece.Sequence.TypeID})
			continue
		}
		ids := component.SpecialTokens[piece.SpecialToken.ID].IDs
		if len(ids) == 0 {
			c.refuse(path, "the special token %.100q has no id", piece.SpecialToken.ID)
			continue
		}
		c.segments = append(c.segments, segment{ids[0], piece.SpecialToken.TypeID})
	}
	if texts != 1 {
		c.refuse(path, "the text is there %d times, expected once", texts)
	}
}

// specials returns the number of special tokens of a row.
func (c *converter) specials() int {
	if c.options.NoSpecialTokens {
		return 0
	}
	return len(c.segments) - 1
}

// unlimited is the length that means that the variable does not ask for truncation.
const unlimited = math.MaxInt32 - 64

// addTail adds the layers that cut rows of ids, put special tokens around them and pad them, and
// the outputs of the model.
func (c *converter) addTail(g graph, rows []edit.Source) {
	o := c.options
	rows = c.addSegments(g, c.addTruncate(g, rows))
	length := g.Layer("ReduceMax", 1, edit.Attributes("keep_dims", "false"),
		g.Layer("Subtract", 1, edit.Attributes("auto_broadcast", "numpy"), rows[1], rows[0]), g.integer(0))
	if o.PadToMax && o.MaxLength > 0 && o.MaxLength <= math.MaxInt32 {
		length = g.Layer("Maximum", 1, edit.Attributes("auto_broadcast", "numpy"), g.integer(int32(o.MaxLength)), length)
	}
	dense := func(rows []edit.Source) edit.Source {
		return g.extension("RaggedToDense", []string{"pad_right", yesNo(!o.PadLeft), "m_pad_max_length", "false"},
			rows[0], rows[1], rows[2], length, g.integer(o.Pad))
	}
	result := func(name string, s edit.Source) {
		if o.IDs != ir.I32 {
			s = g.convert(s, o.IDs.String())
		}
		g.Result(name, s)
	}
	ids := dense(rows[:3])
	result("input_ids", ids)
	if o.Types {
		result("token_type_ids", dense(rows[3:]))
	}
	result("attention_mask", g.convert(ids.Out(1), "i32"))
}

// addTruncate cuts rows if the variable says so.
func (c *converter) addTruncate(g graph, rows []edit.Source) []edit.Source {
	limit := math.MaxInt32
	if c.options.MaxLength > 0 {
		limit = min(c.options.MaxLength, limit)
	}
	side := "right"
	if c.options.CutLeft {
		side = "left"
	}
	enabled := g.Layer("ReadValue", 6, edit.Attributes("variable_id", "truncation", "variable_type", "dynamic", "variable_shape", "..."),
		g.boolean(c.options.Truncate))
	g.Layer("Assign", 6, edit.Attributes("variable_id", "truncation"), enabled)
	length := g.Layer("Select", 1, edit.Attributes("auto_broadcast", "numpy"), enabled, g.integer(int32(limit-c.specials())), g.integer(unlimited))
	return outputs(g.extension("Truncate", []string{"m_num_inputs", "1"},
		rows[0], rows[1], rows[2], length, g.text(side), g.text("longest_first")), 3)
}

// addSegments puts special tokens around rows. It returns the rows of ids, and those of types.
func (c *converter) addSegments(g graph, rows []edit.Source) []edit.Source {
	var inputs []edit.Source
	var types []int32
	for i := 0; i < len(c.segments); {
		s := c.segments[i]
		types = append(types, s.typeID)
		if i++; s.id < 0 {
			inputs = append(inputs, rows...)
			continue
		}
		ids := []int32{s.id}
		for ; i < len(c.segments) && c.segments[i].id == s.id; i++ {
			ids = append(ids, s.id)
		}
		end := int32(len(ids))
		if c.options.NoSpecialTokens {
			end = 0
		}
		inputs = append(inputs, g.integer(0), g.integer(end), g.integers(ids))
	}
	return outputs(g.extension("CombineSegments", nil, append(inputs, g.integers(types))...), 6)
}
