// Package layertest helps the tests of families to infer and run a single layer without a
// model, and to compare it with a reference.
package layertest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Attributes holds the attributes of a layer: name, value, name, value, and so on.
type Attributes []string

// Data returns the attributes as those of an ir.Layer.
func (a Attributes) Data() []ir.Attribute {
	var data []ir.Attribute
	for i := 0; i+1 < len(a); i += 2 {
		data = append(data, ir.Attribute{Name: a[i], Value: a[i+1]})
	}
	return data
}

// Find returns the Op of a family with the given version.
func Find(t testing.TB, family []ops.Op, version int) *ops.Op {
	t.Helper()
	for i := range family {
		if family[i].Version == version {
			return &family[i]
		}
	}
	require.Fail(t, "the family has no such version", "%d", version)
	return nil
}

// FindType returns the Op of a family that Op.String calls name, such as "MaxPool-14".
func FindType(t testing.TB, family []ops.Op, name string) *ops.Op {
	t.Helper()
	for i := range family {
		if family[i].String() == name {
			return &family[i]
		}
	}
	require.Fail(t, "the family has no such layer type", name)
	return nil
}

// Fact parses a type and a shape: "f32[2,?]". A vector or scalar may have known values:
// "i64[2]=0,-1". Each value may be a range: "1..3", "2.." or "?".
func Fact(t testing.TB, text string) ir.Fact {
	t.Helper()
	text, values, known := strings.Cut(text, "=")
	name, shape, ok := strings.Cut(text, "[")
	require.True(t, ok, text)
	var f ir.Fact
	var err error
	f.Type, err = ir.ParseElementType(name)
	require.NoError(t, err, text)
	f.Shape, err = ir.ParsePartialShape("[" + shape)
	require.NoError(t, err, text)
	if !known {
		return f
	}
	f.Values = []ir.Interval{}
	for item := range strings.SplitSeq(values, ",") {
		if item != "" {
			f.Values = append(f.Values, interval(t, f.Type, item))
		}
	}
	return f
}

// interval parses a value or a range of values.
func interval(t testing.TB, elementType ir.ElementType, text string) ir.Interval {
	t.Helper()
	lo, hi, isRange := strings.Cut(text, "..")
	v := ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
	if text == "?" {
		return v
	}
	if !isRange {
		hi = lo
	}
	for _, end := range []struct {
		text string
		to   *int64
	}{{lo, &v.Min}, {hi, &v.Max}} {
		if end.text != "" {
			var x float64
			_, err := fmt.Sscan(end.text, end.to)
			if elementType.IsFloat() {
				_, err = fmt.Sscan(end.text, &x)
				*end.to = ir.CodeOf(x)
			}
			require.NoError(t, err, text)
		}
	}
	return v
}

// FactText is the inverse of Fact.
func FactText(f *ir.Fact) string {
	text, values := f.Type.String()+f.Shape.String(), f.Bounds()
	if values == nil {
		return text
	}
	number := func(bound int64) string {
		if f.Type.IsFloat() {
			return fmt.Sprint(ir.RealOf(bound))
		}
		return fmt.Sprint(bound)
	}
	items := make([]string, len(values))
	for i, v := range values {
		switch {
		case v.Known():
			items[i] = number(v.Min)
		case v.Min == math.MinInt64 && v.Max == math.MaxInt64:
			items[i] = "?"
		case v.Max == math.MaxInt64:
			items[i] = number(v.Min) + ".."
		default:
			items[i] = number(v.Min) + ".." + number(v.Max)
		}
	}
	return text + "=" + strings.Join(items, ",")
}

// Infer infers op for inputs in the notation of Fact, and returns the output in that notation.
func Infer(t testing.TB, op *ops.Op, attributes Attributes, inputs ...string) (string, error) {
	t.Helper()
	all, err := InferOutputs(t, op, attributes, 1, inputs...)
	if err != nil {
		return "", err
	}
	return all[0], nil
}

// InferOutputs is Infer for a layer with several outputs.
func InferOutputs(t testing.TB, op *ops.Op, attributes Attributes, outputs int, inputs ...string) ([]string, error) {
	t.Helper()
	facts := make([]ir.Fact, len(inputs))
	for i, text := range inputs {
		facts[i] = Fact(t, text)
	}
	in, err := inferLayer(op, attributes, outputs, facts)
	if err != nil {
		return nil, err
	}
	all := make([]string, outputs)
	for i := range all {
		all[i] = FactText(&in.Outputs[i])
	}
	return all, nil
}

// ShapeCase is a row in the table of a shape rule. Inputs and Want are in the notation of Fact.
// Want lists all outputs, separated by blanks. Error, if not empty, is the expected error.
type ShapeCase struct {
	Version    int
	Type       string // such as "MaxPool-14", instead of Version, in families of several types
	Attributes Attributes
	Inputs     []string
	Want       string
	Error      string
}

// Shapes runs the cases of a shape rule as subtests.
func Shapes(t *testing.T, family []ops.Op, cases []ShapeCase) {
	for _, c := range cases {
		revision := c.Type
		if revision == "" {
			revision = strconv.Itoa(c.Version)
		}
		t.Run(fmt.Sprint(revision, c.Attributes, c.Inputs), func(t *testing.T) {
			var op *ops.Op
			if c.Type != "" {
				op = FindType(t, family, c.Type)
			} else {
				op = Find(t, family, c.Version)
			}
			outputs := max(1, len(strings.Fields(c.Want)))
			got, err := InferOutputs(t, op, c.Attributes, outputs, c.Inputs...)
			if c.Error != "" {
				require.EqualError(t, err, c.Error)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.Want, strings.Join(got, " "))
		})
	}
}
