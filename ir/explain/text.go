package explain

import (
	"fmt"
	"math"
	"strings"

	"github.com/vinoir/vinoir/ir"
)

const (
	// maxTextDepth bounds how deep the tree of an Explanation is printed.
	maxTextDepth = 40
	// maxTextValues and maxTextLayers bound the lists in a line.
	maxTextValues = 8
	maxTextLayers = 3
)

// String returns e as a tree, indented, with a line for each origin. An origin that
// stands in it twice has its causes at the first place.
func (e *Explanation) String() string {
	t := explanationText{seen: make(map[*Origin]bool)}
	if e.Err != nil {
		fmt.Fprintf(&t, "%v: %v\n", e.Layer, e.Err)
		for i, in := range e.Inputs {
			fmt.Fprintf(&t, "  input %d: %v%v\n", i, in.Fact.Type, in.Fact.Shape)
			t.roots(in.Dims, 2)
			t.roots(in.Values, 2)
		}
		return t.Builder.String()
	}
	fmt.Fprintf(&t, "%v: output %d: %v%v\n", e.Layer, e.Output, e.Fact.Type, e.Fact.Shape)
	t.roots(e.Dims, 1)
	return t.Builder.String()
}

// explanationText prints origins. It has a stack of its own.
type explanationText struct {
	strings.Builder
	seen  map[*Origin]bool
	stack []textLine
}

type textLine struct {
	cause Cause
	depth int
	root  bool
}

// roots prints the trees of origins.
func (t *explanationText) roots(origins []*Origin, depth int) {
	for _, o := range origins {
		t.stack = append(t.stack, textLine{Cause{Origin: o}, depth, true})
		for len(t.stack) > 0 {
			line := t.stack[len(t.stack)-1]
			t.stack = t.stack[:len(t.stack)-1]
			t.line(line)
		}
	}
}

func (t *explanationText) line(line textLine) {
	o := line.cause.Origin
	t.WriteString(strings.Repeat("  ", line.depth))
	t.WriteString(o.what())
	switch {
	case !line.root:
		t.WriteString(" of " + o.place())
	case o.Source == SourceLayer:
		t.WriteString(" from the layer itself" + attributesText(o.Layer))
	case o.Source != SourceDerived:
		t.WriteString(" from " + o.place())
	}
	t.WriteString(line.cause.how())
	more := o.Source == SourceDerived && len(o.Causes) > 0
	switch {
	case more && t.seen[o]:
		t.WriteString(", see above")
	case more && line.depth >= maxTextDepth:
		t.WriteString(", ...")
	case more && line.root && len(o.Causes) == 1 && o.Causes[0].Source != SourceDerived:
		cause := &o.Causes[0]
		t.WriteString(" from " + cause.what() + " of " + cause.place() + cause.how())
	case more:
		t.seen[o] = true
		for i := len(o.Causes) - 1; i >= 0; i-- {
			t.stack = append(t.stack, textLine{o.Causes[i], line.depth + 1, false})
		}
	}
	t.WriteByte('\n')
}

// how returns how c comes in: through which layers.
func (c *Cause) how() string {
	var b strings.Builder
	if c.Merged {
		b.WriteString(", on which inputs agree")
	}
	for i, l := range c.Via {
		switch {
		case i == maxTextLayers:
			b.WriteString(", ...")
		case i > maxTextLayers:
		case i > 0:
			fmt.Fprintf(&b, ", %.100q", l.Name)
		case c.Through == 1:
			fmt.Fprintf(&b, ", through %.100q", l.Name)
		default:
			fmt.Fprintf(&b, ", through %d layers (%.100q", c.Through, l.Name)
		}
	}
	if c.Through > 1 {
		b.WriteByte(')')
	}
	return b.String()
}

// what returns the part that o is about and what is known of it: "dim 1 = 3".
func (o *Origin) what() string {
	text := o.Text()
	switch o.Aspect {
	case AspectDim:
		return fmt.Sprintf("dim %d = %s", o.Index, text)
	case AspectRank:
		return "rank = " + text
	case AspectValue:
		return fmt.Sprintf("value %d = %s", o.Index, text)
	}
	return "values = " + text
}

// Text returns what is known of the part that o is about: "3", "?", "3..5" or
// "[1,-1]".
func (o *Origin) Text() string { return partText(&o.Fact, part{o.Aspect, o.Index}) }

// place returns what o.Source says of o.
func (o *Origin) place() string {
	switch o.Source {
	case SourceInput:
		return fmt.Sprintf("input %.500q", o.Layer.Name)
	case SourceConstant:
		return o.constantPlace()
	case SourceLayer:
		return fmt.Sprintf("%v itself%s", o.Layer, attributesText(o.Layer))
	case SourceDeclared:
		return fmt.Sprintf("%v as the file declares it, since it cannot be inferred", o.Layer)
	case SourceCut:
		return fmt.Sprintf("%v, which is not followed further", o.Layer)
	}
	if len(o.Layer.Outputs) > 1 {
		return fmt.Sprintf("output %d of %v", o.Output, o.Layer)
	}
	return o.Layer.String()
}

// constantPlace returns "Constant "reshape/target" at bin offset 1234, 16 bytes,
// which holds i64[2] = [1,-1]".
func (o *Origin) constantPlace() string {
	text := fmt.Sprintf("Constant %.500q", o.Layer.Name)
	if o.Layer.Const.Size > 0 {
		text += fmt.Sprintf(" at bin offset %d, %d bytes", o.Layer.Const.Offset, o.Layer.Const.Size)
	}
	switch o.Aspect {
	case AspectValue:
		text += fmt.Sprintf(", which holds %v%v = %s", o.Fact.Type, o.Fact.Shape, valuesText(&o.Fact))
	case AspectValues:
		if o.Fact.Tensor == nil {
			text += ", which was not read"
		}
	}
	return text
}

// attributesText returns the attributes of layer as they stand in the file.
func attributesText(layer *ir.Layer) string {
	var b strings.Builder
	for i, a := range layer.Data {
		if i == 0 {
			b.WriteString(" with ")
		} else {
			b.WriteString(", ")
		}
		if i == maxTextValues {
			b.WriteString("...")
			break
		}
		fmt.Fprintf(&b, "%.100s=%.100q", a.Name, a.Value)
	}
	return b.String()
}

// valuesText returns the first elements that are known: "[1,-1]".
func valuesText(fact *ir.Fact) string {
	values := fact.Intervals()
	if values == nil {
		return "?"
	}
	list := make([]string, 0, maxTextValues+1)
	for _, v := range values[:min(len(values), maxTextValues)] {
		list = append(list, intervalText(v))
	}
	if len(values) > maxTextValues {
		list = append(list, "...")
	}
	return "[" + strings.Join(list, ",") + "]"
}

func intervalText(v ir.Interval) string {
	switch {
	case v.Known():
		return fmt.Sprint(v.Min)
	case v.Min == math.MinInt64 && v.Max == math.MaxInt64:
		return "?"
	case v.Max == math.MaxInt64:
		return fmt.Sprintf("%d..", v.Min)
	case v.Min == math.MinInt64:
		return fmt.Sprintf("..%d", v.Max)
	}
	return fmt.Sprintf("%d..%d", v.Min, v.Max)
}

// partText returns what is known of a part of a tensor.
func partText(fact *ir.Fact, p part) string {
	switch p.aspect {
	case AspectDim:
		if p.index < fact.Shape.Rank() {
			return fact.Shape.At(p.index).String()
		}
	case AspectRank:
		if fact.Shape.RankKnown() {
			return fmt.Sprint(fact.Shape.Rank())
		}
	case AspectValue:
		if values := fact.Intervals(); p.index < len(values) {
			return intervalText(values[p.index])
		}
	case AspectValues:
		return valuesText(fact)
	}
	return "?"
}
