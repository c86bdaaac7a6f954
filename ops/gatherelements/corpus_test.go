package gatherelements_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/gatherelements"
)

// kernelCase is the case.json of a call of ONNX or torch without a model.
type kernelCase struct {
	System, Op, DType string
	Version, Axis     int
	Error             bool
}

// TestCorpusKernels runs what torch and ONNX's reference computed.
func TestCorpusKernels(t *testing.T) {
	corpus := os.Getenv(optest.CorpusVariable)
	if corpus == "" {
		t.Skip(optest.CorpusVariable + " is not set")
	}
	files, err := filepath.Glob(filepath.Join(corpus, "kernels", "*", "case.json"))
	require.NoError(t, err)
	passed, refused, all := 0, 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var c kernelCase
		require.NoError(t, json.Unmarshal(text, &c), file)
		if c.Op != "GatherElements" && c.Op != "gather" {
			continue
		}
		all++
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			runKernelCase(t, dir, c)
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

func runKernelCase(t *testing.T, dir string, c kernelCase) {
	switch c.DType {
	case "bool":
		runTyped[bool](t, dir, c)
	case "int8":
		runTyped[int8](t, dir, c)
	case "int16":
		runTyped[int16](t, dir, c)
	case "int32":
		runTyped[int32](t, dir, c)
	case "int64":
		runTyped[int64](t, dir, c)
	case "uint8":
		runTyped[uint8](t, dir, c)
	case "uint16":
		runTyped[uint16](t, dir, c)
	case "uint32":
		runTyped[uint32](t, dir, c)
	case "uint64":
		runTyped[uint64](t, dir, c)
	case "float16":
		runTyped[float16.Float16](t, dir, c)
	case "bfloat16":
		runTyped[ops.BFloat16](t, dir, c)
	case "float32":
		runTyped[float32](t, dir, c)
	case "float64":
		runTyped[float64](t, dir, c)
	case "complex64":
		runTyped[complex64](t, dir, c)
	case "complex128":
		runTyped[complex128](t, dir, c)
	case "string":
		runElements(t, dir, c, (*ir.Tensor).Strings)
	default:
		t.Fatalf("type %q", c.DType)
	}
}

func runTyped[T ir.Element](t *testing.T, dir string, c kernelCase) {
	runElements(t, dir, c, ir.Data[T])
}

func runElements[T gatherelements.Element](t *testing.T, dir string, c kernelCase, elements func(*ir.Tensor) []T) {
	data, indices := read(t, dir, "data"), read(t, dir, "indices")
	wide := ir.Data[int64](indices)
	got := make([]T, len(wide))
	err := gatherInto(c, got, elements(data), data.Shape(), wide, indices.Shape())
	if c.Error {
		assert.Error(t, err)
		return
	}
	require.NoError(t, err)
	expected := read(t, dir, "expected")
	assert.Equal(t, indices.Shape(), expected.Shape())
	want := content(elements(expected))
	assert.Equal(t, want, content(got))

	narrow := make([]int32, len(wide))
	for i, v := range wide {
		narrow[i] = int32(v)
	}
	clear(got)
	require.NoError(t, gatherInto(c, got, elements(data), data.Shape(), narrow, indices.Shape()))
	assert.Equal(t, want, content(got))
}

func gatherInto[T gatherelements.Element, I gatherelements.Index](c kernelCase, out, data []T, dataShape []int, indices []I, indicesShape []int) error {
	if c.System == "torch" {
		return gatherelements.TorchGatherInto(out, data, dataShape, c.Axis, indices, indicesShape)
	}
	return gatherelements.ONNXInto(gatherelements.Options{Version: c.Version, Axis: c.Axis}, out, data, dataShape, indices, indicesShape)
}

func read(t *testing.T, dir, name string) *ir.Tensor {
	a, err := npy.ReadFile(filepath.Join(dir, name+".npy"))
	require.NoError(t, err)
	x, err := a.Tensor(ir.Dynamic, nil)
	require.NoError(t, err)
	return x
}

// content returns the bits of numbers, and strings as they are.
func content[T gatherelements.Element](s []T) any {
	if b, err := binary.Append(nil, binary.LittleEndian, s); err == nil {
		return b
	}
	return s
}
