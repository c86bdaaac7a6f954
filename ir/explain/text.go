package explain

import (
	"fmt"
	"math"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
)

const (
	// maxTextDepth limits the depth of the tree that Explanation.String returns.
	maxTextDepth = 40
	// maxTextValues and maxTextLayers limit the lists in a line.
	maxTextValues = 8
	maxTextLayers = 3
)

// String returns e as an indented tree with a line for each origin. If an origin appears
// several times, its causes are listed only the first time.
func (e *Explanation) String() string {
	t := explanationText{seen: make(map[*Origin]bool)}
	if e.Err != nil {
		fmt.Fprintf(&t, "%v: %v\n", e.Layer, e.Err)
		for i, in := range e.Inputs {
			fmt.Fprintf(&t, "  input %d: %v%v\n", i, in.Fact.Type, in.Fact.Shape)
			t.trees(in.Dims, 2)
			t.trees(in.Values, 2)
		}
		return t.Builder.String()
	}
	fmt.Fprintf(&t, "%v: output %d: %v%v\n", e.Layer, e.Output, e.Fact.Type, e.Fact.Shape)
	t.trees(e.Dims, 1)
	return t.Builder.String()
}

// explanationText prints trees of origins. It has a stack of its own instead of recursion.
type explanationText struct {
	strings.Builder
	seen  map[*Origin]bool
	stack []textLine
}

// textLine is a line to print. top means that its origin is not a cause of another line.
type textLine struct {
	cause Cause
	depth int
	top   bool
}

// trees prints the trees of origins, indented by depth.
func (t *explanationText) trees(origins []*Origin, depth int) {
	for _, o := range origins {
		t.stack = append(t.stack, textLine{Cause{Origin: o}, depth, true})
		for len(t.stack) > 0 {
			line := t.stack[len(t.stack)-1]
			t.stack = t.stack[:len(t.stack)-1]
			t.line(line)
		}
	}
}

// line prints a line and pushes its causes.
func (t *explanationText) line(line textLine) {
	o := line.cause.Origin
	t.WriteString(strings.Repeat("  ", line.depth))
	t.WriteString(o.aspectText())
	switch {
	case !line.top:
		t.WriteString(" of " + o.sourceText())
	case o.Source == SourceLayer:
		t.WriteString(" from the layer itself" + attributesText(o.Layer))
	case o.Source != SourceDerived:
		t.WriteString(" from " + o.sourceText())
	}
	t.WriteString(line.cause.pathText())
	more := o.Source == SourceDerived && len(o.Causes) > 0
	switch {
	case more && t.seen[o]:
		t.WriteString(", see above")
	case more && line.depth >= maxTextDepth:
		t.WriteString(", ...")
	case more && line.top && len(o.Causes) == 1 && o.Causes[0].Source != SourceDerived:
		cause := &o.Causes[0]
		t.WriteString(" from " + cause.aspectText() + " of " + cause.sourceText() + cause.pathText())
	case more:
		t.seen[o] = true
		for i := len(o.Causes) - 1; i >= 0; i-- {
			t.stack = append(t.stack, textLine{o.Causes[i], line.depth + 1, false})
		}
	}
	t.WriteByte('\n')
}

// pathText returns the part of a line about the path to c: ", through "relu"".
func (c *Cause) pathText() string {
	var b strings.Builder
	if c.Merged {
		b.WriteString(" (must equal other input dims)")
	}
	for i, l := range c.Via {
		switch {
		case i == maxTextLayers:
			b.WriteString(", ...")
		case i > maxTextLayers:
		case i > 0:
			fmt.Fprintf(&b, ", %s", printable.Quote(l.Name, 100))
		case c.Through == 1:
			fmt.Fprintf(&b, ", through %s", printable.Quote(l.Name, 100))
		default:
			fmt.Fprintf(&b, ", through %d layers (%s", c.Through, printable.Quote(l.Name, 100))
		}
	}
	if c.Through > 1 {
		b.WriteByte(')')
	}
	return b.String()
}

// aspectText returns the aspect of o and its value: "dim 1 = 3".
func (o *Origin) aspectText() string {
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

// Text returns the length, rank, value or values that o describes, as far as they are known:
// "3", "?", "3..5" or "[1,-1]".
func (o *Origin) Text() string { return partText(&o.Fact, part{o.Aspect, o.Index}) }

// sourceText returns the layer of o and, depending on the Source, more about it.
func (o *Origin) sourceText() string {
	switch o.Source {
	case SourceInput:
		return "input " + printable.Quote(o.Layer.Name, 500)
	case SourceConstant:
		return o.constantText()
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

// constantText returns the sourceText of a Constant: "Constant "reshape/target" at bin offset
// 1234, 16 bytes, which holds i64[2] = [1,-1]".
func (o *Origin) constantText() string {
	text := "Constant " + printable.Quote(o.Layer.Name, 500)
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

// attributesText returns the attributes of layer as in the file.
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
		fmt.Fprintf(&b, "%s=%s", printable.Name(a.Name, 100), printable.Quote(a.Value, 100))
	}
	return b.String()
}

// valuesText returns the first elements of a tensor of integers: "[1,-1]"; "?" if they are
// unknown.
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

// intervalText returns "3", "?", "3..", "..5" or "3..5".
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

// partText returns a part of a tensor as far as it is known; "?" if it is unknown.
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
