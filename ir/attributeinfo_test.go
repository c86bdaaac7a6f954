package ir_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

func TestDescribeAttributes(t *testing.T) {
	infos := ir.DescribeAttributes(func(a *ir.Attributes) (any, error) {
		a.Expect("axis")
		a.Int("axis", -1)
		a.Ints("pads")
		a.Enum("mode", "sum", "sum", "mean")
		a.Bool("keep", true)
		a.Float("scale", 0.5)
		a.Floats("scales")
		a.ElementType("output_type", ir.I64)
		a.PartialShape("shape", ir.UnknownRank)
		a.String("id", "none")
		a.Int("axis", 7)
		return nil, errors.New("an attribute is missing")
	})
	assert.Equal(t, []ir.AttributeInfo{
		{Name: "axis", Kind: "int", Default: int64(-1)},
		{Name: "pads", Kind: "ints"},
		{Name: "mode", Kind: "enum", Default: "sum", Members: []string{"sum", "mean"}},
		{Name: "keep", Kind: "bool", Default: true},
		{Name: "scale", Kind: "float", Default: 0.5},
		{Name: "scales", Kind: "floats"},
		{Name: "output_type", Kind: "element type", Default: ir.I64},
		{Name: "shape", Kind: "shape", Default: ir.UnknownRank},
		{Name: "id", Kind: "string", Default: "none"},
	}, infos)
	assert.Empty(t, ir.DescribeAttributes(nil))
}
