package jsontensor_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/jsontensor"
)

// FuzzRead compares what it reads with encoding/json.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"[1,2]", "[[1.5],[2e3]]", `["a","\u00e9"]`, "[true,false]", "[9223372036854775807,-1]"} {
		f.Add(text, 2)
	}
	f.Fuzz(func(t *testing.T, text string, elements int) {
		if elements < 0 {
			return
		}
		shape := ir.Shape{elements}
		if tensor, err := read(ir.F32, shape, text, jsontensor.Options{}); err == nil {
			require.True(t, json.Valid([]byte(text)))
			var want []float32
			if json.Unmarshal([]byte(text), &want) == nil {
				require.Len(t, want, elements)
				require.Equal(t, append([]float32{}, want...), append([]float32{}, ir.Data[float32](tensor)...))
			}
		}
		if tensor, err := read(ir.F64, shape, text, jsontensor.Options{}); err == nil {
			var want []float64
			if json.Unmarshal([]byte(text), &want) == nil {
				require.Equal(t, append([]float64{}, want...), append([]float64{}, ir.Data[float64](tensor)...))
			}
		}
		if tensor, err := read(ir.I64, shape, text, jsontensor.Options{}); err == nil {
			var want []int64
			if json.Unmarshal([]byte(text), &want) == nil {
				require.Equal(t, append([]int64{}, want...), append([]int64{}, ir.Data[int64](tensor)...))
			}
		}
		if tensor, err := read(ir.String, shape, text, jsontensor.Options{}); err == nil {
			var want []string
			if json.Unmarshal([]byte(text), &want) == nil {
				require.Equal(t, append([]string{}, want...), append([]string{}, tensor.Strings()...))
			}
		}
	})
}
