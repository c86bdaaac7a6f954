// Package kernelcases runs the cases in the folder kernels of the corpus: calls of ONNX's
// reference implementation and of torch, without a model.
package kernelcases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
)

// Case is the file case.json of a case, and the folder that holds it.
type Case struct {
	Dir               string `json:"-"`
	System            string // "onnx" or "torch"
	Op                string // the operator of ONNX or the function of torch
	DType             string // NumPy's name of the element type, or "bfloat16" or "string"
	Version, Axis     int
	Reduction, Reduce string
	IncludeSelf       bool `json:"include_self"`
	Value             any  // a scalar that replaces the tensor of updates
	Error             bool // the call must return an error
	RTol, ATol        float64
}

var elementTypes = map[string]ir.ElementType{
	"bool": ir.Boolean, "int8": ir.I8, "int16": ir.I16, "int32": ir.I32, "int64": ir.I64,
	"uint8": ir.U8, "uint16": ir.U16, "uint32": ir.U32, "uint64": ir.U64,
	"float16": ir.F16, "bfloat16": ir.BF16, "float32": ir.F32, "float64": ir.F64,
	"complex64": ir.Complex64, "complex128": ir.Complex128, "string": ir.String,
}

// Run runs a subtest for each case of the corpus that calls one of the given operators, and
// logs how many passed. There must be some. run holds the code of the subtests by DType. Run
// skips the test if there is no corpus.
func Run(t *testing.T, operators []string, run map[string]func(t *testing.T, c *Case)) {
	corpus := optest.Corpus(t)
	files, err := filepath.Glob(filepath.Join(corpus, "kernels", "*", "case.json"))
	require.NoError(t, err)
	passed, refused, all := 0, 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		c := Case{Dir: filepath.Dir(file)}
		require.NoError(t, json.Unmarshal(text, &c), file)
		if !slices.Contains(operators, c.Op) {
			continue
		}
		all++
		t.Run(filepath.Base(c.Dir), func(t *testing.T) {
			require.Contains(t, run, c.DType)
			run[c.DType](t, &c)
			if !t.Failed() {
				passed++
				if c.Error {
					refused++
				}
			}
		})
	}
	require.NotZero(t, all)
	t.Logf("kernels: %d of %d passed, %d of them refused as they must be", passed, all, refused)
}

// Tensor reads a tensor of the case: "data", "updates" or "expected", of the element type of
// DType.
func (c *Case) Tensor(t testing.TB, name string) *ir.Tensor {
	t.Helper()
	return c.read(t, name, elementTypes[c.DType])
}

func (c *Case) read(t testing.TB, name string, elementType ir.ElementType) *ir.Tensor {
	t.Helper()
	a, err := npy.ReadFile(filepath.Join(c.Dir, name+".npy"))
	require.NoError(t, err)
	x, err := a.Tensor(elementType, nil)
	require.NoError(t, err)
	return x
}

// Check calls wide with the indices of the case and then narrow with the same indices as
// int32, and compares what each returns with the expected tensor. equal returns an error if
// two tensors of the same shape differ. If the case has Error set, Check only calls wide,
// which must return an error.
func (c *Case) Check(
	t testing.TB, equal func(want, got *ir.Tensor) error,
	wide func(indices []int64, shape ir.Shape) (*ir.Tensor, error), narrow func(indices []int32, shape ir.Shape) (*ir.Tensor, error),
) {
	t.Helper()
	tensor := c.read(t, "indices", ir.I64)
	indices := ir.Data[int64](tensor)
	got, err := wide(indices, tensor.Shape())
	if c.Error {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	want := c.Tensor(t, "expected")
	require.Equal(t, want.Shape(), got.Shape())
	require.NoError(t, equal(want, got))

	small := make([]int32, len(indices))
	for i, v := range indices {
		small[i] = int32(v)
	}
	got, err = narrow(small, tensor.Shape())
	require.NoError(t, err, "with indices of int32")
	require.Equal(t, want.Shape(), got.Shape())
	require.NoError(t, equal(want, got), "with indices of int32")
}
