package hf

import "github.com/vinoir/vinoir/internal/faults"

// Segment is a part of a row of tokens: fixed ones, or those of the first or second text.
type Segment struct {
	IDs    []int32
	Text   int // 1 or 2, 0 for fixed tokens
	TypeID int32
	Once   bool // IDs are left out behind a text that ends with them
}

// setSegments sets how texts become rows.
func (b *builder) setSegments() {
	b.t.Single = []Segment{{Text: 1}}
	b.t.Pair = []Segment{{Text: 1}, {Text: 2, TypeID: 1}}
	if b.file.PostProcessor != nil {
		b.addPostProcessor(b.file.PostProcessor, "post_processor")
	}
}

// addPostProcessor sets the segments of a component.
func (b *builder) addPostProcessor(c *Component, path string) {
	if !b.known(c, path) {
		return
	}
	switch c.Type {
	case "Sequence":
		for i, one := range c.Processors {
			b.addPostProcessor(one, element(path, "processors", i))
		}
	case "ByteLevel": // changes offsets only
		b.addTrim(c)
	case "BertProcessing", "RobertaProcessing":
		if c.CLS == nil || c.SEP == nil {
			b.check(faults.Errorf("there is no cls or sep"), path)
			return
		}
		if c.Type == "RobertaProcessing" {
			b.addTrim(c)
		}
		cls, sep := []int32{c.CLS.ID}, []int32{c.SEP.ID}
		b.t.Single = []Segment{{IDs: cls}, {Text: 1}, {IDs: sep}}
		if c.Type == "BertProcessing" {
			b.t.Pair = []Segment{{IDs: cls}, {Text: 1}, {IDs: sep}, {Text: 2, TypeID: 1}, {IDs: sep, TypeID: 1}}
		} else {
			b.t.Pair = []Segment{{IDs: cls}, {Text: 1}, {IDs: sep}, {IDs: sep}, {Text: 2}, {IDs: sep}}
		}
		b.behind = [2]bool{true, c.Type == "RobertaProcessing"}
	case "TemplateProcessing":
		b.behind = [2]bool{}
		b.t.Single = b.template(c, c.Single, path+".single")
		b.t.Pair = b.template(c, c.Pair, path+".pair")
	default:
		b.unsupported(c, path)
	}
}

// addTrim adds the trim of a component.
func (b *builder) addTrim(c *Component) {
	if !orElse(c.TrimOffsets, true) {
		return
	}
	b.t.trims = append(b.t.trims, trim{orElse(c.AddPrefixSpace, true), b.behind})
}

// template returns the segments of a template.
func (b *builder) template(c *Component, pieces []TemplatePiece, path string) []Segment {
	var segments []Segment
	if len(pieces) > maxComponents {
		b.check(faults.Errorf("%d parts, expected at most %d", len(pieces), maxComponents), path)
		return nil
	}
	for _, p := range pieces {
		switch {
		case p.SpecialToken != nil:
			token, ok := c.SpecialTokens[p.SpecialToken.ID]
			if !ok {
				b.check(faults.Errorf("special_tokens has no %.100q", p.SpecialToken.ID), path)
			}
			segments = append(segments, Segment{IDs: token.IDs, TypeID: p.SpecialToken.TypeID})
		case p.Sequence != nil:
			text := 1
			if p.Sequence.ID == "B" {
				text = 2
			}
			segments = append(segments, Segment{Text: text, TypeID: p.Sequence.TypeID})
		default:
			b.check(faults.Errorf("a part is neither SpecialToken nor Sequence"), path)
		}
	}
	return segments
}
