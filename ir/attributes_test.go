package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAttributes_Notes(t *testing.T) {
	layer := &Layer{Type: "Gather", Data: []Attribute{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}, {Name: "c", Value: "3"}}}
	attributes := AttributesOf(layer)
	attributes.Lookup("a")
	attributes.Expect("c")
	attributes.Expect("d")
	assert.Equal(t, []string{"attribute d: missing", "attribute b: Gather has none of that name"}, attributes.Notes())
	layer.Type = "Constant"
	constant := AttributesOf(layer)
	assert.Empty(t, constant.Notes(), "the reader reads them")
}

func TestAttributes_Float(t *testing.T) {
	attributes := AttributesOf(&Layer{Data: []Attribute{{Name: "alpha", Value: "1.5"}}})
	assert.Equal(t, 1.5, attributes.Float("alpha", 9))
	assert.Equal(t, 9.0, attributes.Float("beta", 9))
	assert.NoError(t, attributes.Err())
}

func TestAttributes_Enum(t *testing.T) {
	attributes := AttributesOf(&Layer{Data: []Attribute{{Name: "mode", Value: "Linear"}, {Name: "bad", Value: "x"}}})
	assert.Equal(t, "linear", attributes.Enum("mode", "cubic", "linear", "cubic"))
	assert.Equal(t, "cubic", attributes.Enum("none", "cubic", "linear", "cubic"))
	assert.NoError(t, attributes.Err())
	assert.Equal(t, "cubic", attributes.Enum("bad", "cubic", "linear", "cubic"))
	assert.ErrorContains(t, attributes.Err(), `attribute bad: "x" is none of linear, cubic`)
}
