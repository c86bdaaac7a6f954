package onnx_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// relu is the file of a model y = Relu(x) of f32[2], which Python's onnx has written.
const relu = "\b\x0a:5\n\x0e\n\x01x\x12\x01y\"\x04Relu:\x00\x12\x01gZ\x0f\n\x01x\x12\n\n\b\b\x01\x12\x04\n\x02\b\x02b\x0f\n\x01y\x12\n\n\b\b\x01\x12\x04\n\x02\b\x02B\x04\n\x00\x10\x0d"

func ExampleRead() {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		panic(err)
	}
	model, err := onnx.Read(context.Background(), []byte(relu), onnx.Options{Rules: registry})
	if err != nil {
		panic(err)
	}
	for _, layer := range model.Order {
		fmt.Println(layer.Type, layer.Name)
	}
	// Output:
	// Parameter x
	// Relu y
	// Result y/sink_port_0
}

// The output of the model should be declared as f32[2], and Python's onnx accepts the file.
func ExampleCheck() {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		panic(err)
	}
	wrong := strings.Replace(relu, "\x01y\x12\n\n\b\b\x01\x12\x04\n\x02\b\x02", "\x01y\x12\n\n\b\b\x01\x12\x04\n\x02\b\x03", 1)
	report, err := onnx.Check(context.Background(), []byte(wrong), onnx.Options{Rules: registry})
	if err != nil {
		panic(err)
	}
	for i := range report.Findings {
		fmt.Println(report.Findings[i].Severity, report.Findings[i].Message)
	}
	fmt.Println(report.Model.Name)
	// Output:
	// warning value "y" is [3] in the file, inferred [2]
	// g
}

func ExampleCheckFile() {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		panic(err)
	}
	report, err := onnx.CheckFile(context.Background(), "../../testdata/onnx/bad/unsupported/model.onnx", onnx.Options{Rules: registry})
	if err != nil {
		panic(err)
	}
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Severity == validate.SeverityError {
			fmt.Println(f.Message)
		}
	}
	// Output:
	// an operator is not supported: Foo of version 17 (1 node, first node "foo": no such operator is known)
	// an operator is not supported: org.example:Bar of version 1 (1 node, first the node of "y": no such operator is known)
}

// A program that opens models by package vinoir names the format. XML files are read as before.
func ExampleFormat() {
	files := fstest.MapFS{"relu.onnx": {Data: []byte(relu)}}
	model, err := vinoir.Options{Format: onnx.Format{}}.OpenFS(files, "relu.onnx")
	if err != nil {
		panic(err)
	}
	defer model.Close()
	x, err := ir.TensorFrom([]float32{-1, 2})
	if err != nil {
		panic(err)
	}
	outputs, err := model.Infer(context.Background(), vinoir.Tensors{"x": x})
	if err != nil {
		panic(err)
	}
	fmt.Println(ir.Data[float32](outputs["y"]))
	// Output: [0 2]
}

func ExampleReadFS() {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		panic(err)
	}
	files := fstest.MapFS{"relu.onnx": {Data: []byte(relu)}}
	model, err := onnx.ReadFS(context.Background(), files, "relu.onnx", onnx.Options{Rules: registry})
	if err != nil {
		panic(err)
	}
	fmt.Println(model.Parameters[0].Outputs[0].Names, model.Results[0].OutputNames)
	// Output: [x] [y]
}

func ExampleReadFile() {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		panic(err)
	}
	_, err = onnx.ReadFile(context.Background(), "model.onnx", onnx.Options{Rules: registry, MMap: true})
	var unsupported *onnx.UnsupportedError
	if errors.As(err, &unsupported) {
		for _, o := range unsupported.Operators {
			fmt.Println(o.Domain, o.Operator, o.Nodes)
		}
	}
}
