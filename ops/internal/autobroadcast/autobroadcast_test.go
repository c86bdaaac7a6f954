package autobroadcast

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func shape(t *testing.T, text string) ir.PartialShape {
	t.Helper()
	s, err := ir.ParsePartialShape(text)
	require.NoError(t, err)
	return s
}

func TestParse(t *testing.T) {
	const name, axis = "auto_broadcast", "auto_broadcast.auto_broadcast_axis"
	for _, c := range []struct {
		data []ir.Attribute
		want Rule
		err  string
	}{
		{nil, Rule{}, ""},
		{[]ir.Attribute{{Name: name, Value: "NUMPY"}}, Rule{}, ""},
		{[]ir.Attribute{{Name: name, Value: "none"}}, Rule{Kind: None}, ""},
		{[]ir.Attribute{{Name: name, Value: "explicit"}}, Rule{Kind: None}, ""},
		{[]ir.Attribute{{Name: name, Value: "pdpd"}}, Rule{Kind: PDPD}, ""},
		{[]ir.Attribute{{Name: name, Value: "pdpd"}, {Name: axis, Value: "-1"}}, Rule{PDPD, -1}, ""},
		{[]ir.Attribute{{Name: name, Value: "pdpd"}, {Name: axis, Value: "-2"}}, Rule{PDPD, math.MaxInt32}, ""},
		{[]ir.Attribute{{Name: name, Value: "pdpd"}, {Name: axis, Value: "4294967296"}}, Rule{PDPD, math.MaxInt32}, ""},
		{[]ir.Attribute{{Name: name, Value: "wide"}}, Rule{}, `attribute auto_broadcast: "wide" is none of numpy, none, explicit, pdpd`},
	} {
		a := ir.AttributesOf(&ir.Layer{Data: c.data})
		assert.Equal(t, c.want, Parse(a), "%v", c.data)
		if c.err != "" {
			assert.EqualError(t, a.Err(), c.err)
		} else {
			assert.NoError(t, a.Err())
		}
	}
}

func TestRule_Join(t *testing.T) {
	for _, c := range []struct {
		rule       Rule
		a, b, want string
	}{
		{Rule{}, "2,1", "3", "[2,3]"},
		{Rule{}, "2,3", "2", "-"},
		{Rule{Kind: None}, "?,3", "2,?", "[2,3]"},
		{Rule{Kind: None}, "2,3", "1,3", "-"},
		{Rule{Kind: PDPD}, "2,3,4", "2,3", "[2,3,4]"},
		{Rule{PDPD, -1}, "2,3,4", "3,4", "[2,3,4]"},
		{Rule{PDPD, 1}, "2,3,4", "2,3", "-"},
		{Rule{PDPD, 0}, "2", "2,3", "-"},
		{Rule{PDPD, 0}, "...", "2,3", "[...]"},
	} {
		got := "-"
		if s, ok := c.rule.Join(shape(t, c.a), shape(t, c.b)); ok {
			got = s.String()
		}
		assert.Equal(t, c.want, got, "%+v of %s and %s", c.rule, c.a, c.b)
	}
}

// stretchTable holds what OpenVINO infers for an Add of two vectors with PDPD. The dimension of
// the first vector is on the left, that of the second one at the top. "-" means that OpenVINO
// returns an error.
const stretchTable = `
         0    1    2    3    ?  ..1  ..2  ..4  1..  2.. 1..3 2..4 3..5
0        0    -    -    -    0    0    0    0    0    -    0    -    -
1        0    1    -    -    ?  ..1  ..2  ..4  1..  2.. 1..3 2..4 3..5
2        -    2    2    -    2    2    2    2    2    2    2    2    -
3        -    3    -    3    3    3    3    3    3    3    3    3    3
?        0    ?    2    3    ?    ?    ?    ?    ?  2..    ? 2..4 3..5
..1      0  ..1    2    3    ?  ..1  ..2  ..4    ?  2..  ..3 2..4 3..5
..2      0  ..2    2    3    ?  ..2  ..2  ..4    ?  2..  ..3 2..4 3..5
..4      0  ..4    2    3    ?  ..4  ..4  ..4    ?  2..  ..4 2..4 3..5
1..      0  1..    2    3    ?    ?    ?    ?  1..  2..  1.. 2..4 3..5
2..      -  2..    2    3  2..  2..  2..  2..  2..  2..  2.. 2..4 3..5
1..3     0 1..3    2    3    ?  ..3  ..3  ..4  1..  2.. 1..3 2..4 3..5
2..4     - 2..4    2    3 2..4 2..4 2..4 2..4 2..4 2..4 2..4 2..4 3..4
3..5     - 3..5    -    3 3..5 3..5 3..5 3..5 3..5 3..5 3..5 3..4 3..5
`

func TestRule_Join_pdpdDimensions(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(stretchTable), "\n")
	columns := strings.Fields(lines[0])
	rule := Rule{Kind: PDPD}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		require.Len(t, cells, len(columns)+1)
		for i, column := range columns {
			got := "-"
			if s, ok := rule.Join(shape(t, cells[0]), shape(t, column)); ok {
				got = strings.Trim(s.String(), "[]")
			}
			assert.Equal(t, cells[i+1], got, "%s and %s", cells[0], column)
		}
	}
}
