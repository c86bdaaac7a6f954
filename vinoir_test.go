package vinoir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/plugin"
)

// scatter is a model with one input, nodes f32[?,2], and two outputs, sum and max of the same
// shape.
const scatter = "examples/scatter/model.xml"

func nodes(t *testing.T, rows ...[]float32) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorFrom(rows)
	require.NoError(t, err)
	return tensor
}

var (
	someNodes = [][]float32{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}
	sumOfSome = []float32{18, 22, 2, 4, 6, 8, 6, 7, 14, 16}
)

func TestOpen(t *testing.T) {
	xml, err := os.ReadFile(scatter)
	require.NoError(t, err)
	bin, err := os.ReadFile(filepath.Join(filepath.Dir(scatter), "model.bin"))
	require.NoError(t, err)
	for name, open := range map[string]func(Options) (*Model, error){
		"Open":   func(o Options) (*Model, error) { return o.Open(scatter) },
		"OpenFS": func(o Options) (*Model, error) { return o.OpenFS(os.DirFS("."), scatter) },
		"Read":   func(o Options) (*Model, error) { return o.Read(xml, bin) },
	} {
		model, err := open(Options{CompileOptions: plugin.CompileOptions{InferenceNumThreads: 1, PerformanceHint: plugin.PerformanceHintThroughput}})
		require.NoError(t, err, name)
		outputs, err := model.Infer(context.Background(), Tensors{"nodes": nodes(t, someNodes...)})
		require.NoError(t, err, name)
		sum, err := outputs.Get("sum")
		require.NoError(t, err, name)
		assert.Equal(t, sumOfSome, ir.Data[float32](sum), name)
		require.NoError(t, model.Close(), name)

		_, err = open(Options{Ops: slices.Concat(constant.Ops, parameter.Ops)})
		var unsupported *plugin.UnsupportedError
		require.ErrorAs(t, err, &unsupported, name)
		assert.NotEmpty(t, unsupported.Layers)

		_, err = open(Options{CompileOptions: plugin.CompileOptions{Reshape: map[string]ir.PartialShape{"edges": ir.ShapeOf(ir.AnyDim)}}})
		var unknown *ir.NameError
		assert.ErrorAs(t, err, &unknown, name)

		_, err = open(Options{
			Limits:         plugin.Options{MaxTensorBytes: 8},
			CompileOptions: plugin.CompileOptions{Reshape: map[string]ir.PartialShape{"nodes": ir.ShapeOf(ir.Dim(5), ir.Dim(2))}},
		})
		assert.Error(t, err, name)
		_, err = open(Options{Reading: irxml.ReadOptions{Limits: irxml.Limits{Layers: 1}}})
		var format *ir.FormatError
		assert.ErrorAs(t, err, &format, name)
		_, err = open(Options{CompileOptions: plugin.CompileOptions{InferenceNumThreads: -1}})
		assert.ErrorContains(t, err, "InferenceNumThreads is -1", name)
		_, err = open(Options{CompileOptions: plugin.CompileOptions{InferencePrecision: ir.I64}})
		assert.ErrorContains(t, err, "InferencePrecision is i64", name)
		_, err = open(Options{CompileOptions: plugin.CompileOptions{KVCachePrecision: ir.I64}})
		assert.ErrorContains(t, err, "KVCachePrecision is i64", name)
		_, err = open(Options{CompileOptions: plugin.CompileOptions{DynamicQuantizationGroupSize: 33}})
		assert.ErrorContains(t, err, "DynamicQuantizationGroupSize is 33", name)
	}
	_, err = Open("examples/none.xml")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = OpenFS(os.DirFS("."), "examples/none.xml")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Read([]byte("<net"), nil)
	assert.Error(t, err)
}

func TestModel_Infer_names(t *testing.T) {
	model, err := Open(scatter)
	require.NoError(t, err)
	defer model.Close()
	ctx := context.Background()
	x := nodes(t, someNodes...)

	outputs, err := model.Infer(ctx, Tensors{"nodes": x})
	require.NoError(t, err)
	for i, port := range model.Outputs() {
		for _, name := range port.AllNames() {
			assert.NotNil(t, outputs[name], "output %d has the name %q", i, name)
		}
	}

	var unknown *ir.NameError
	_, err = model.Infer(ctx, Tensors{"nodes": x, "edges": x})
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, [][]string{{"nodes", "nodes"}}, unknown.Names)
	_, err = outputs.Get("mean")
	require.ErrorAs(t, err, &unknown)
	assert.EqualError(t, err, `tensor "mean": the model has no tensor of that name, it has "Result_10", "Result_11", "max", "sum"`)

	_, err = model.Infer(ctx, nil)
	assert.EqualError(t, err, `input 0 "nodes" is not given`)
	_, err = model.Infer(ctx, Tensors{"nodes": nil})
	assert.ErrorContains(t, err, `input 0 "nodes"`)
	_, err = model.Infer(ctx, Tensors{"nodes": nodes(t, []float32{1, 2, 3})})
	assert.EqualError(t, err, `input 0 "nodes": the tensor is f32[1,3], the model has f32[?,2]`)
	for _, wrong := range []string{"sum", "max", "Result_10"} {
		_, err = model.Infer(ctx, Tensors{wrong: x})
		assert.ErrorAs(t, err, &unknown, "%s is no input", wrong)
	}
}

// TestModel_Infer_twice gives one input under two names.
func TestModel_Infer_twice(t *testing.T) {
	model, err := Read([]byte(`<net name="m" version="11"><layers>
<layer id="0" name="layer" type="Parameter" version="opset1"><data shape="1" element_type="f32"/><output><port id="0" precision="FP32" names="tensor"><dim>1</dim></port></output></layer>
<layer id="1" name="result" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>1</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>`), nil)
	require.NoError(t, err)
	x, err := ir.TensorFrom([]float32{1})
	require.NoError(t, err)
	_, err = model.Infer(context.Background(), Tensors{"layer": x, "tensor": x})
	assert.EqualError(t, err, `input 0 is given twice, as "layer" and "tensor"`)

	// The output is a copy of the input, not the input itself.
	outputs, err := model.Infer(context.Background(), Tensors{"layer": x})
	require.NoError(t, err)
	ir.Data[float32](x)[0] = 2
	for _, name := range []string{"layer", "tensor", "result"} {
		y, err := ir.DataOf[float32](outputs[name])
		require.NoError(t, err)
		assert.Equal(t, []float32{1}, y, name)
	}
}

// TestModel_Infer_goroutines runs many inferences at once, of many shapes. Their outputs stay as
// they are when later ones run.
func TestModel_Infer_goroutines(t *testing.T) {
	model, err := Open(scatter)
	require.NoError(t, err)
	defer model.Close()
	const goroutines, runs = 8, 20
	errs := make([]error, goroutines)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			var kept []*ir.Tensor
			for i := range runs {
				x, err := ir.NewTensor(ir.F32, 5+(g+i)%3, 2)
				if err != nil {
					errs[g] = err
					return
				}
				for j := range ir.Data[float32](x) {
					ir.Data[float32](x)[j] = float32(g*runs + i)
				}
				outputs, err := model.Infer(context.Background(), Tensors{"nodes": x})
				if err != nil {
					errs[g] = err
					return
				}
				kept = append(kept, outputs["max"])
			}
			for i, y := range kept {
				for _, v := range ir.Data[float32](y)[:2] {
					if v != float32(g*runs+i) {
						errs[g] = fmt.Errorf("run %d of goroutine %d gave %v", i, g, v)
					}
				}
			}
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(errs...))
}

func TestModel_Infer_cancelled(t *testing.T) {
	model, err := Open(scatter)
	require.NoError(t, err)
	defer model.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = model.Infer(ctx, Tensors{"nodes": nodes(t, someNodes...)})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = model.Infer(context.Background(), Tensors{"nodes": nodes(t, someNodes...)})
	assert.NoError(t, err)
}

// TestModel_Infer_variables calls a model that adds its input to a variable: each call of Infer
// starts from the initial value.
func TestModel_Infer_variables(t *testing.T) {
	model, err := Open("testdata/ir/Assign-6/f32/model.xml")
	require.NoError(t, err)
	defer model.Close()
	inputs := Tensors{}
	for _, port := range model.Inputs() {
		shape, err := port.Shape.Static()
		require.NoError(t, err)
		x, err := ir.NewTensor(ir.F32, shape...)
		require.NoError(t, err)
		for i := range ir.Data[float32](x) {
			ir.Data[float32](x)[i] = float32(1 + i)
		}
		inputs[port.Name] = x
	}
	var first []float32
	for range 3 {
		outputs, err := model.Infer(context.Background(), inputs)
		require.NoError(t, err)
		y, err := ir.DataOf[float32](outputs["out0"])
		require.NoError(t, err)
		if first == nil {
			first = y
		}
		assert.Equal(t, first, y)
	}

	// A request keeps the state.
	request := model.Compiled().NewInferRequest()
	var last []float32
	for range 2 {
		for name, x := range inputs {
			require.NoError(t, request.SetInputByName(name, x))
		}
		require.NoError(t, request.Infer(context.Background()))
		y, err := request.OutputByName("out0")
		require.NoError(t, err)
		last = slices.Clone(ir.Data[float32](y))
	}
	assert.NotEqual(t, first, last)
}

func TestModel_Close_mapped(t *testing.T) {
	model, err := Options{Reading: irxml.ReadOptions{MMap: true}}.Open(scatter)
	require.NoError(t, err)
	outputs, err := model.Infer(context.Background(), Tensors{"nodes": nodes(t, someNodes...)})
	require.NoError(t, err)
	require.NoError(t, model.Close())
	assert.Equal(t, sumOfSome, ir.Data[float32](outputs["sum"]), "outputs do not lie in the weights")
}

// TestModel_Close_waits closes a model while a kernel runs. Close waits for it; later calls of
// Infer fail.
func TestModel_Close_waits(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	wait := ops.Op{
		Type: "Wait", Version: 1, Inputs: ops.Exactly(1),
		Infer: func(in *ops.Inference) error {
			in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
			return nil
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				close(entered)
				<-leave
				r.Copy(r.Outputs[0], r.Inputs[0])
				return nil
			}}, nil
		},
	}
	const xml = `<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1" element_type="f32"/><output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>
<layer id="1" name="y" type="Wait" version="opset1"><input><port id="0" precision="FP32"><dim>1</dim></port></input><output><port id="1" precision="FP32"><dim>1</dim></port></output></layer>
<layer id="2" name="z" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>1</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>`
	model, err := Options{Ops: append(builtin.Ops(), wait)}.Read([]byte(xml), nil)
	require.NoError(t, err)
	x, err := ir.TensorOf(ir.F32, ir.Shape{1}, []float32{3})
	require.NoError(t, err)
	inferred, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := model.Infer(context.Background(), Tensors{"x": x})
		inferred <- err
	}()
	<-entered
	go func() { closed <- model.Close() }()
	for {
		if _, err := model.Infer(context.Background(), Tensors{}); errors.Is(err, ErrClosed) {
			break // Close has begun
		}
		runtime.Gosched()
	}
	select {
	case <-closed:
		require.Fail(t, "Close has not waited for the kernel")
	default:
	}
	close(leave)
	require.NoError(t, <-inferred)
	require.NoError(t, <-closed)
	_, err = model.Infer(context.Background(), Tensors{"x": x})
	require.ErrorIs(t, err, ErrClosed)
}
