package onnx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
)

func TestExpand_errors(t *testing.T) {
	_, err := onnx.Expand("FLOAT8E4M3FN", ir.Shape{1}, []byte{1})
	assert.EqualError(t, err, `"FLOAT8E4M3FN" is not a type of ONNX that OpenVINO lacks and another one holds`)
	_, err = onnx.Expand("INT2", ir.Shape{5}, []byte{1})
	assert.EqualError(t, err, "INT2[5] needs 2 bytes, the data has 1")
}

func TestNarrowType(t *testing.T) {
	assert.Empty(t, onnx.NarrowType(&ir.Layer{}))
}
