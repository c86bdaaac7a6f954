package ir

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The texts that OpenVINO 2026.4 accepts as numbers, and those that it rejects.
func TestAttributeNumbers(t *testing.T) {
	read := func(text string, get func(*Attributes)) error {
		a := AttributesOf(&Layer{Data: []Attribute{{Name: "x", Value: text}}})
		get(a)
		return a.Err()
	}
	var n int64
	var f float64
	var list []float64
	whole := func(a *Attributes) { n = a.Int("x", 0) }
	number := func(a *Attributes) { f = a.Float("x", 0) }
	numbers := func(a *Attributes) { list = a.Floats("x") }

	for text, want := range map[string]int64{
		"1": 1, "-1": -1, " 1": 1, "\t1 ": 1, "1 2": 1, "1.5": 1, "1e5": 1, "0x10": 0, "00012": 12, "-0": 0, "1-1": 1,
		"9223372036854775807": math.MaxInt64,
	} {
		assert.NoError(t, read(text, whole), text)
		assert.Equal(t, want, n, text)
	}
	for _, text := range []string{"", "-", "+1", ".5", "x", "--1", "- 1", "9223372036854775808"} {
		assert.Error(t, read(text, whole), text)
	}
	for text, want := range map[string]float64{
		"1": 1, "+1": 1, "-.5": -.5, "1.": 1, "1e+5": 1e5, "1E5": 1e5, "1.5e3x": 1500, "1.5x": 1.5, "1 2": 1, "0x10": 0,
		"1e40": 1e40, "1e-50": 1e-50, "1.2.3": 1.2, "inf": math.Inf(1), "-inf": math.Inf(-1), "1_000": 1,
	} {
		assert.NoError(t, read(text, number), text)
		assert.Equal(t, want, f, text)
	}
	assert.NoError(t, read("nan", number))
	assert.True(t, math.IsNaN(f))
	for _, text := range []string{
		"", "-", ".", "e5", "1e", "1.5e", "1e+", "1e400", "INF", "+inf", "infinity", "infx", "NaN", "-nan", "nanx", "--1",
	} {
		assert.Error(t, read(text, number), text)
		assert.Error(t, read("1,"+text+",2", numbers), text)
	}
	assert.NoError(t, read("1, -inf ,2,", numbers))
	assert.Equal(t, []float64{1, math.Inf(-1), 2}, list)
	assert.Error(t, read("1,1e40", numbers))
}
