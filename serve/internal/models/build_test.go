package models_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// folder returns the files of a model that build makes, in the given folder.
func folder(t testing.TB, dir string, list []ops.Op, build func(b *edit.Builder)) fstest.MapFS {
	t.Helper()
	registry, err := plugin.NewRegistry(list...)
	require.NoError(t, err)
	b := edit.NewBuilder(context.Background(), registry, "model")
	build(b)
	model, err := b.Model()
	require.NoError(t, err)
	var xml, bin bytes.Buffer
	require.NoError(t, irxml.Write(context.Background(), &xml, &bin, model, irxml.WriteOptions{}))
	written := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return fstest.MapFS{
		dir + "/model.xml": {Data: xml.Bytes(), ModTime: written},
		dir + "/model.bin": {Data: bin.Bytes(), ModTime: written},
	}
}

// times builds a model y = factor * x of rows of 2 numbers.
func times(factor float32) func(b *edit.Builder) {
	return func(b *edit.Builder) {
		x := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.Dim(2)))
		b.Result("y", b.Layer("Multiply", 1, edit.Attributes("auto_broadcast", "numpy"), x, b.ConstantOf([]float32{factor, factor}, 1, 2)))
	}
}

// multiplied returns the folder of a model y = factor * x, as version 1.
func multiplied(t testing.TB, factor float32) fstest.MapFS {
	return folder(t, "1", builtin.Ops(), times(factor))
}

// join returns the files of all parts.
func join(parts ...fstest.MapFS) fstest.MapFS {
	all := fstest.MapFS{}
	for _, part := range parts {
		for name, file := range part {
			all[name] = file
		}
	}
	return all
}

// file returns a file system with one file.
func file(name, text string) fstest.MapFS { return fstest.MapFS{name: {Data: []byte(text)}} }

// hold is a layer type whose kernel stops until it is released, and then copies its input.
type hold struct {
	entered chan int      // gets the number of rows of each inference that starts
	release chan struct{} // lets one inference go on
}

// bad is a number that the layer refuses, if it is the first or the last one.
const bad = 13

func newHold() *hold { return &hold{entered: make(chan int), release: make(chan struct{})} }

// ops returns the layer types of models with the layer.
func (h *hold) ops() []ops.Op { return withKernel(h.kernel) }

// panicking returns the layer types of models with the layer, whose kernel panics.
func panicking() []ops.Op { return withKernel(func(*ops.Run) error { panic("no") }) }

// withKernel returns all layer types and Hold, with the given kernel.
func withKernel(kernel func(*ops.Run) error) []ops.Op {
	return append(builtin.Ops(), layer(kernel, func(in ir.PartialShape) ir.PartialShape { return in }))
}

// unranked returns all layer types and Hold, which copies its input, but whose output has an
// unknown rank until then.
func unranked() []ops.Op {
	kernel := func(r *ops.Run) error {
		if err := r.SetShape(0, r.Inputs[0].Shape()...); err != nil {
			return err
		}
		r.Outputs[0].CopyFrom(r.Inputs[0])
		return nil
	}
	return append(builtin.Ops(), layer(kernel, func(ir.PartialShape) ir.PartialShape { return ir.UnknownRank }))
}

// layer returns the layer type Hold of f32, with a kernel and a rule for the shape.
func layer(kernel func(*ops.Run) error, shape func(ir.PartialShape) ir.PartialShape) ops.Op {
	return ops.Op{
		Type: "Hold", Namespace: "test", Inputs: ops.Exactly(1), Types: []ir.ElementType{ir.F32},
		Attributes: func(a *ir.Attributes) (any, error) { return nil, a.Err() },
		Infer: func(in *ops.Inference) error {
			in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: shape(in.Inputs[0].Shape)}
			return nil
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) { return &ops.Prepared{Kernel: kernel}, nil },
	}
}

func (h *hold) kernel(r *ops.Run) error {
	r.Outputs[0].CopyFrom(r.Inputs[0])
	if r.Inputs[0].Shape()[1] != 2 {
		return nil // a model that is tried
	}
	if ir.Data[float32](r.Inputs[0])[0] == bad || ir.Data[float32](r.Inputs[0])[r.Inputs[0].Len()-1] == bad {
		return fmt.Errorf("%v is bad", float32(bad))
	}
	select {
	case h.entered <- r.Inputs[0].Shape()[0]:
	case <-r.Stop:
		return nil
	}
	select {
	case <-h.release:
	case <-r.Stop:
	}
	return nil
}

// files returns the files of a model with the layer, whose rows have any number of numbers.
func (h *hold) files(t testing.TB) fs.FS {
	return folder(t, "1", h.ops(), func(b *edit.Builder) {
		x := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.AnyDim))
		b.Result("y", b.Extension("Hold", "test", nil, x))
	})
}

// options returns the options of a server of one model with the layer, called hold.
func (h *hold) options(t testing.TB) models.Options {
	return models.Options{
		Open:   vinoir.Options{Ops: h.ops()},
		Models: []models.Model{{Name: "hold", FS: h.files(t)}},
	}
}

// request returns a request for a model with an input x of the rows of 2 numbers in values.
func request(t testing.TB, model string, values ...float32) *oip.InferRequest {
	t.Helper()
	return &oip.InferRequest{Model: model, Inputs: []oip.Input{{Name: "x", Tensor: tensorOf(t, values, len(values)/2, 2)}}}
}

// infer returns the numbers in the only output for values; nil if that fails, which fails the test.
func infer(t testing.TB, s *models.Server, model string, values ...float32) []float32 {
	t.Helper()
	response, err := s.Infer(t.Context(), request(t, model, values...))
	if !assert.NoError(t, err) {
		return nil
	}
	return numbers(t, response)
}

// numbers returns the numbers in the only output of response, and releases it.
func numbers(t testing.TB, response *oip.InferResponse) []float32 {
	t.Helper()
	defer response.Release()
	if !assert.Len(t, response.Outputs, 1) {
		return nil
	}
	values, err := ir.DataOf[float32](response.Outputs[0].Tensor)
	assert.NoError(t, err)
	return slices.Clone(values)
}

// assertCode checks that err is an error of the protocol with the given code and text.
func assertCode(t testing.TB, err error, code oip.Code, text string) {
	t.Helper()
	var e *oip.Error
	if assert.ErrorAs(t, err, &e) {
		assert.Equal(t, code, e.Code, e.Text)
		assert.Contains(t, e.Text, text)
	}
}
