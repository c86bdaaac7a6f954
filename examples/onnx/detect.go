package main

import (
	"context"
	"fmt"
	"io"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/preprocess"
)

// detect prints where in a picture things are.
func detect(ctx context.Context, w io.Writer, modelFile, pictureFile string, labels []string) error {
	model, err := openDetector(ctx, modelFile)
	if err != nil {
		return err
	}
	defer model.Close()
	picture, err := preprocess.ReadFile(pictureFile, 0)
	if err != nil {
		return err
	}
	pixels, err := preprocess.Image{Type: ir.U8, Layout: preprocess.NHWC}.Tensor(picture)
	if err != nil {
		return err
	}
	outputs, err := model.Infer(ctx, vinoir.Tensors{"images": pixels})
	if err != nil {
		return err
	}
	boxes, err := ir.DataOf[float32](outputs["boxes"])
	if err != nil {
		return err
	}
	selected, err := ir.DataOf[int64](outputs["selected"])
	if err != nil {
		return err
	}
	// A row has the batch, the class and the box. Only as many as were found are there.
	for ; len(selected) >= 3; selected = selected[3:] {
		class, box := selected[1], boxes[4*selected[2]:]
		if int(class) >= len(labels) {
			return fmt.Errorf("class %d has no label: there are %d", class, len(labels))
		}
		fmt.Fprintf(w, "%s: rows %.0f to %.0f, columns %.0f to %.0f\n", labels[class], box[0], box[2], box[1], box[3])
	}
	return nil
}

// openDetector opens a detector whose pixels count from 0 to 1, and makes the steps before it
// layers of it: it then takes pictures of any size as they are in memory.
func openDetector(ctx context.Context, path string) (*vinoir.Model, error) {
	rules, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		return nil, err
	}
	read, err := onnx.ReadFile(ctx, path, onnx.Options{Rules: rules})
	if err != nil {
		return nil, err
	}
	b := edit.Change(ctx, read, rules)
	b.Preprocess("images", edit.Preprocess{
		Type: ir.U8, Layout: "NHWC", ModelLayout: "NCHW", Size: []ir.Dimension{ir.AnyDim, ir.AnyDim},
		Steps: []edit.Step{edit.ConvertType(ir.F32), edit.Resize("linear"), edit.Scale(255)},
	})
	changed, err := b.Model()
	if err != nil {
		return nil, err
	}
	return vinoir.Compile(changed)
}
