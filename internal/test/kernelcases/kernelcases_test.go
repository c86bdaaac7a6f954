package kernelcases

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
)

// corpus writes a corpus of one Double of float32 for each text of a case.json.
func corpus(t *testing.T, cases map[string]string) {
	dir := t.TempDir()
	for name, text := range cases {
		sub := filepath.Join(dir, "kernels", name)
		require.NoError(t, os.MkdirAll(sub, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(sub, "case.json"), []byte(text), 0o644))
		for file, tensor := range map[string]*ir.Tensor{
			"indices": layertest.Ints(t, ir.I64, ir.Shape{2}, 3, -1), "expected": layertest.Numbers(t, ir.F32, ir.Shape{2}, 6, -2),
		} {
			require.NoError(t, npy.WriteFile(filepath.Join(sub, file+".npy"), tensor))
		}
	}
	t.Setenv(optest.CorpusVariable, dir)
}

func TestRun(t *testing.T) {
	corpus(t, map[string]string{
		"1": `{"op":"Double","dtype":"float32","axis":2,"include_self":true,"rtol":0.5}`,
		"2": `{"op":"Double","dtype":"float32","error":true}`,
		"3": `{"op":"Half","dtype":"float32"}`,
	})
	var got []Case
	Run(t, []string{"Double"}, map[string]func(*testing.T, *Case){"float32": func(t *testing.T, c *Case) {
		assert.Equal(t, []float32{6, -2}, ir.Data[float32](c.Tensor(t, "expected")))
		c.Dir = filepath.Base(c.Dir)
		got = append(got, *c)
	}})
	assert.Equal(t, []Case{
		{Dir: "1", Op: "Double", DType: "float32", Axis: 2, IncludeSelf: true, RTol: 0.5}, {Dir: "2", Op: "Double", DType: "float32", Error: true},
	}, got)
}

// recorder is a testing.TB that only records whether it failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

func (r *recorder) FailNow() { runtime.Goexit() }

func double[I int32 | int64](factor float32) func(indices []I, shape ir.Shape) (*ir.Tensor, error) {
	return func(indices []I, shape ir.Shape) (*ir.Tensor, error) {
		if factor == 0 {
			return nil, os.ErrInvalid
		}
		out, err := ir.NewTensor(ir.F32, shape...)
		for i, v := range indices {
			ir.Data[float32](out)[i] = float32(v) * factor
		}
		return out, err
	}
}

// TestCase_Check has a factor of 2 for a right call, 3 for a wrong one, 0 for an error.
func TestCase_Check(t *testing.T) {
	corpus(t, map[string]string{"1": `{"op":"Double","dtype":"float32"}`})
	Run(t, []string{"Double"}, map[string]func(*testing.T, *Case){"float32": func(t *testing.T, c *Case) {
		fails := func(wide, narrow float32) bool {
			r, done := &recorder{TB: t}, make(chan struct{})
			go func() {
				defer close(done)
				c.Check(r, Equal, double[int64](wide), double[int32](narrow))
			}()
			<-done
			return r.failed
		}
		assert.False(t, fails(2, 2))
		assert.True(t, fails(3, 2))
		assert.True(t, fails(2, 3))
		assert.True(t, fails(0, 2))
		assert.True(t, fails(2, 0))
		c.Error = true
		assert.False(t, fails(0, 2))
		assert.True(t, fails(2, 2))
	}})
}

func TestCompare(t *testing.T) {
	numbers := func(elementType ir.ElementType, v float64) *ir.Tensor {
		return layertest.Numbers(t, elementType, ir.Shape{1}, v)
	}
	zero := math.Copysign(0, -1)
	c := Case{RTol: 0.1, ATol: 0.5}
	for _, elementType := range []ir.ElementType{ir.F16, ir.BF16, ir.F32, ir.F64} {
		nan := numbers(elementType, math.NaN())
		assert.Error(t, Equal(numbers(elementType, 0), numbers(elementType, zero)))
		assert.NoError(t, c.Near(numbers(elementType, 0), numbers(elementType, zero)))
		assert.NoError(t, c.Near(nan, nan))
		assert.Error(t, c.Near(nan, numbers(elementType, 1)))
		assert.Error(t, c.Near(numbers(elementType, 1), nan))
		assert.NoError(t, c.Near(numbers(elementType, 8), numbers(elementType, 9.25)))
		assert.Error(t, c.Near(numbers(elementType, 8), numbers(elementType, 9.5)))
	}
	assert.Error(t, c.Near(numbers(ir.I32, 8), numbers(ir.I32, 9)), "integers are exact")
	a, b := layertest.Counted(t, ir.String, 2), layertest.Counted(t, ir.String, 2)
	assert.NoError(t, Equal(a, b))
	b.Strings()[1] = "other"
	assert.EqualError(t, c.Near(a, b), `element 1 is "other", expected "element 1"`)
	for _, elementType := range []ir.ElementType{ir.Complex64, ir.Complex128} {
		a, b := layertest.Counted(t, elementType, 2), layertest.Counted(t, elementType, 2)
		assert.NoError(t, c.Near(a, b))
		switch elementType {
		case ir.Complex64:
			ir.Data[complex64](b)[1] += 1i
		default:
			ir.Data[complex128](b)[1] += 1i
		}
		assert.Error(t, c.Near(a, b))
	}
}
