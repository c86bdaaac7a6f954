package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
)

// tensorSummary summarises a tensor. Min, Max and Mean are over the finite elements. They are
// absent if there are none, or if their sum overflows.
type tensorSummary struct {
	Name  string   `json:"name"`
	Names []string `json:"names"`
	Type  string   `json:"type"`
	Shape []int    `json:"shape"`
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	Mean  *float64 `json:"mean,omitempty"`
	// NonFinite counts NaN and infinities.
	NonFinite int `json:"non_finite"`
	// First has the first elements as text.
	First []string `json:"first"`
	File  string   `json:"file,omitempty"`
	// Top has the elements of --top, and Comparison the result of --expect.
	Top        []topClass  `json:"top,omitempty"`
	Comparison *comparison `json:"comparison,omitempty"`
}

// maxFirst is the number of elements that a summary shows.
const maxFirst = 6

func summarise(t *ir.Tensor) *tensorSummary {
	summary := &tensorSummary{Type: t.ElementType().String(), Shape: append([]int{}, t.Shape()...), First: []string{}}
	n := t.Len()
	if t.ElementType() == ir.String {
		for _, s := range t.Strings()[:min(n, maxFirst)] {
			summary.First = append(summary.First, printable.Quote(s, maxType))
		}
		return summary
	}
	value := t.Values()
	lo, hi, sum, finite := math.Inf(1), math.Inf(-1), 0.0, 0
	for i := range n {
		v := value(i)
		if i < maxFirst {
			summary.First = append(summary.First, strconv.FormatFloat(v, 'g', 6, 64))
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			summary.NonFinite++
			continue
		}
		lo, hi, sum, finite = min(lo, v), max(hi, v), sum+v, finite+1
	}
	if mean := sum / float64(finite); finite > 0 && !math.IsInf(mean, 0) {
		summary.Min, summary.Max, summary.Mean = &lo, &hi, &mean
	}
	return summary
}

// label returns a name of the tensor in quotes.
func (t *tensorSummary) label() string {
	if len(t.Names) > 0 {
		return strconv.Quote(t.Names[0])
	}
	return strconv.Quote(t.Name)
}

func (t *tensorSummary) String() string {
	var b strings.Builder
	b.WriteString(t.Type + ir.Shape(t.Shape).String())
	if t.Min != nil {
		fmt.Fprintf(&b, " min %.6g max %.6g mean %.6g", *t.Min, *t.Max, *t.Mean)
	}
	if t.NonFinite > 0 {
		fmt.Fprintf(&b, " %d not finite", t.NonFinite)
	}
	n := ir.Shape(t.Shape).Elements()
	more := ""
	if n > len(t.First) {
		more = " ..."
	}
	fmt.Fprintf(&b, " [%s%s]", strings.Join(t.First, " "), more)
	if t.File != "" {
		b.WriteString(" -> " + t.File)
	}
	return b.String()
}
