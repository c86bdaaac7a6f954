package variable

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/parameter"
)

// growing is a variable that records an Append and returns a fixed result.
type growing struct {
	stored
	grown ops.Grown
	got   ops.Append
}

func (g *growing) Append(_ parallel.Stop, a ops.Append) (ops.Grown, error) {
	g.got = a
	return g.grown, nil
}

func TestAppendState(t *testing.T) {
	rows, initial, order := layertest.Counted(t, ir.F32, 2, 1, 3), layertest.Counted(t, ir.F32, 2, 0, 3), layertest.Counted(t, ir.I32, 2)
	memory := layertest.Counted(t, ir.F32, 2, 8, 3)
	for _, inputs := range [][]*ir.Tensor{{rows, initial}, {rows, initial, order}} {
		v := &growing{grown: ops.Grown{Memory: memory, Length: 5}}
		outputs := runAppend(t, "AppendState", v, 2, inputs...)
		assert.Same(t, rows, v.got.Rows)
		assert.Same(t, initial, v.got.Initial)
		assert.Equal(t, len(inputs) > 2, v.got.Order != nil)
		assert.Equal(t, 1, v.got.Axis)
		assert.Equal(t, memory.Bytes(), outputs[0].Bytes())
		assert.Equal(t, []int64{2, 5, 3}, ir.Data[int64](outputs[1]))
		outputs = runAppend(t, "AppendState", v, 1, inputs...)
		assert.Equal(t, memory.Shape(), outputs[0].Shape())
	}
}

// TestAppendState_kept has values that are kept in another type.
func TestAppendState_kept(t *testing.T) {
	rows, initial := layertest.Counted(t, ir.F32, 2, 1, 3), layertest.Counted(t, ir.F32, 2, 0, 3)
	for kept, columns := range map[ir.ElementType]int{ir.F16: 3, ir.BF16: 3, ir.F32: 3, ir.U8: 3 + levels.RowExtra} {
		v := &growing{grown: ops.Grown{Memory: layertest.Counted(t, kept, 2, 8, columns), Length: 5}}
		outputs := runKept(t, "AppendState", kept, v, 2, rows, initial)
		assert.Equal(t, kept, v.got.Type)
		assert.Equal(t, kept, outputs[0].ElementType())
		assert.Equal(t, []int64{2, 5, 3}, ir.Data[int64](outputs[1]))
	}
}

func TestAppend_keptShapes(t *testing.T) {
	types := append(parameter.Ops[:len(parameter.Ops):len(parameter.Ops)], Ops...)
	for _, c := range []struct{ kept, rows, axis, want string }{
		{"u8", "f32[2,1,3]", "1", "u8[2,?,11]"},
		{"u8", "f32[2,1,?]", "1", "u8[2,?,?]"},
		{"f16", "f32[2,1,3]", "0", "f16[?,1,3]"},
		{"f16", "f16[2,1,3]", "1", "f16[2,?,3]"},
		{"u8", "f32[2,1,3]", "0", "axis 0 is not the one before the last of rows of shape [2,1,3], which are kept in u8"},
		{"u8", "f16[2,1,3]", "1", "rows is f16, which is not kept in u8"},
		{"i8", "f32[2,1,3]", "1", "i8 is none of f32, f16, bf16, u8"},
	} {
		g := layertest.NewGraph(t)
		rows := g.Parameter(c.rows)
		got, _, err := g.Infer(g.Add("AppendState", "vinoir", layertest.Attributes{"variable_id", "v", "axis", c.axis, "kept_type", c.kept}, rows, rows), types...)
		if err != nil {
			assert.ErrorContains(t, err, c.want)
			continue
		}
		assert.Equal(t, []string{c.want}, got[:1])
	}
}

func TestStateShape(t *testing.T) {
	initial, order := layertest.Counted(t, ir.F32, 2, 0, 3), layertest.Counted(t, ir.I32, 4)
	v := new(growing)
	assert.Equal(t, []int64{2, 0, 3}, ir.Data[int64](runAppend(t, "StateShape", v, 1, initial)[0]))
	v.value = layertest.Counted(t, ir.F32, 3, 7, 3)
	assert.Equal(t, []int64{3, 7, 3}, ir.Data[int64](runAppend(t, "StateShape", v, 1, initial)[0]))
	assert.Equal(t, []int64{4, 7, 3}, ir.Data[int64](runAppend(t, "StateShape", v, 1, initial, order)[0]))
}

// runAppend runs a layer of variable "b" with axis 1.
func runAppend(t *testing.T, name string, v ops.Variable, outputs int, inputs ...*ir.Tensor) []*ir.Tensor {
	t.Helper()
	return runKept(t, name, ir.Dynamic, v, outputs, inputs...)
}

// runKept is runAppend for a value that is kept in a type.
func runKept(t *testing.T, name string, kept ir.ElementType, v ops.Variable, outputs int, inputs ...*ir.Tensor) []*ir.Tensor {
	t.Helper()
	op := layertest.FindType(t, Ops, name+"-vinoir")
	p := &ops.Preparation{
		Attributes: appendAttributes{"b", 1, kept}, Inputs: ops.FactsOf(inputs), Outputs: make([]ir.Fact, outputs), Variables: map[string]int{"b": 0},
	}
	require.NoError(t, op.Infer(&ops.Inference{Attributes: p.Attributes, Inputs: p.Inputs, Outputs: p.Outputs}))
	prepared, err := op.PrepareKernel(p, 0)
	require.NoError(t, err)
	r := &ops.Run{Inputs: inputs, Outputs: make([]*ir.Tensor, outputs), Variables: []ops.Variable{v}}
	r.Resize = func(i int, shape ir.Shape) (err error) {
		r.Outputs[i], err = ir.NewTensor(p.Outputs[i].Type, shape...)
		return err
	}
	require.NoError(t, prepared.Kernel(r))
	return r.Outputs
}

func TestAppend_shapes(t *testing.T) {
	types := append(parameter.Ops[:len(parameter.Ops):len(parameter.Ops)], Ops...)
	for _, c := range []struct {
		layer  string
		axis   string
		inputs []string
		want   string // or an error
	}{
		{"AppendState", "1", []string{"f32[2,?,3]", "f32[2,0,3]"}, "f32[2,?,3]"},
		{"AppendState", "1", []string{"f32[2,4,3]", "f32[2,0,3]", "i64[?]"}, "f32[2,?,3]"},
		{"AppendState", "1", []string{"f32[...]", "f32[2,0,3]"}, "f32[...]"},
		{"AppendState", "3", []string{"f32[2,4,3]", "f32[2,0,3]"}, "axis 3 is outside of rows of shape [2,4,3]"},
		{"AppendState", "-1", []string{"f32[2,4,3]", "f32[2,0,3]"}, "-1 is outside [0,63]"},
		{"AppendState", "1", []string{"f32[2,4,3]", "f16[2,0,3]"}, "rows is f32, initial is f16"},
		{"AppendState", "1", []string{"f32[2,4,3]", "f32[2,0,3]", "f32[2]"}, "order is f32, expected i32 or i64"},
		{"AppendState", "1", []string{"f32[2,4,3]", "f32[2,0,3]", "i32[2,1]"}, "order has shape [2,1]"},
		{"StateShape", "0", []string{"f32[2,?,3]"}, "i64[3]=0..,0..,0.."},
		{"StateShape", "0", []string{"f32[2,0,3]", "i32[4]"}, "i64[3]=4,0..,0.."},
		{"StateShape", "0", []string{"f32[?,?]", "i64[1..5]"}, "i64[2]=1..5,0.."},
		{"StateShape", "0", []string{"f32[]", "i64[1]"}, "i64[0]="},
		{"StateShape", "0", []string{"f32[...]", "i32[?]"}, "i64[?]"},
		{"StateShape", "0", []string{"f32[2,3]", "u8[2]"}, "order is u8, expected i32 or i64"},
	} {
		g := layertest.NewGraph(t)
		var inputs []*ir.Layer
		for _, fact := range c.inputs {
			inputs = append(inputs, g.Parameter(fact))
		}
		got, _, err := g.Infer(g.Add(c.layer, "vinoir", layertest.Attributes{"variable_id", "v", "axis", c.axis}, inputs...), types...)
		if err != nil {
			assert.ErrorContains(t, err, c.want)
			continue
		}
		assert.Equal(t, []string{c.want}, got)
	}
	g := layertest.NewGraph(t)
	_, _, err := g.Infer(g.Add("StateShape", "vinoir", nil, g.Parameter("f32[2]")), types...)
	assert.ErrorContains(t, err, "variable_id")
}
