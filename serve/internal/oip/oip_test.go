package oip_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

func TestDatatypeOf(t *testing.T) {
	for _, elementType := range []ir.ElementType{
		ir.Boolean, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
		ir.F16, ir.BF16, ir.F32, ir.F64, ir.String,
	} {
		name, ok := oip.DatatypeOf(elementType)
		require.True(t, ok, elementType)
		back, ok := name.ElementType()
		require.True(t, ok, name)
		require.Equal(t, elementType, back)
	}
	_, ok := oip.DatatypeOf(ir.I4)
	require.False(t, ok)
	_, ok = oip.Datatype("FLOAT").ElementType()
	require.False(t, ok)
}

func TestErrorf(t *testing.T) {
	err := oip.Errorf(oip.NotFound, "no model %q", "resnet")
	require.EqualError(t, err, `no model "resnet"`)
	require.Equal(t, oip.NotFound, err.Code)

	text := oip.Errorf(oip.Malformed, "x%s", strings.Repeat("é", oip.MaxErrorText)).Error()
	require.LessOrEqual(t, len(text), oip.MaxErrorText)
	require.True(t, utf8.ValidString(text))
	require.True(t, strings.HasSuffix(text, "é..."))
}

func TestErrorOf(t *testing.T) {
	full := oip.Errorf(oip.QueueFull, "full")
	require.Same(t, full, oip.ErrorOf(fmt.Errorf("model x: %w", full)))
	require.Equal(t, oip.Canceled, oip.ErrorOf(context.Canceled).Code)
	require.Equal(t, oip.DeadlineExceeded, oip.ErrorOf(context.DeadlineExceeded).Code)
	require.Equal(t, oip.Internal, oip.ErrorOf(io.EOF).Code)
}

func TestInferResponse_Release(t *testing.T) {
	freed := 0
	response := oip.InferResponse{Free: func() { freed++ }}
	response.Release()
	response.Release()
	require.Equal(t, 1, freed)
}

func TestLimits_WithDefaults(t *testing.T) {
	limits := oip.Limits{MaxInputs: 3}.WithDefaults()
	require.Equal(t, 3, limits.MaxInputs)
	require.Equal(t, int64(256<<20), limits.MaxBodyBytes)
}
