// Command customlayer runs a model with a custom layer type, GreatCircle, and built-in ones. The
// model computes the lengths of routes that go through a third place:
//
//	length = GreatCircle(start, via) + GreatCircle(via, end)
//
// greatcircle.go has everything that a layer type needs: attributes, a shape rule and a kernel.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

//go:embed model.xml
var files embed.FS

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	model, err := irxml.ReadFS(files, "model.xml", irxml.ReadOptions{})
	if err != nil {
		return err
	}
	registry, err := plugin.NewRegistry(append(builtin.Ops(), greatCircle)...)
	if err != nil {
		return err
	}
	ctx := context.Background()
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(ctx, model, plugin.CompileOptions{})
	if err != nil {
		return err
	}
	defer compiled.Close()
	for _, port := range append(compiled.Inputs(), compiled.Outputs()...) {
		fmt.Fprintf(w, "%-6s %v%v\n", port.Name, port.Type, port.Shape)
	}

	request := compiled.NewInferRequest()
	for name, places := range map[string][]float32{
		"start": {52.52, 13.41, 40.71, -74.01}, // Berlin, New York
		"via":   {48.86, 2.35, 64.15, -21.94},  // Paris, Reykjavik
		"end":   {51.51, -0.13, 59.91, 10.75},  // London, Oslo
	} {
		tensor, err := ir.TensorOf(ir.F32, ir.Shape{len(places) / 2, 2}, places)
		if err != nil {
			return err
		}
		if err := request.SetInputByName(name, tensor); err != nil {
			return err
		}
	}
	if err := request.Infer(ctx); err != nil {
		return err
	}
	fmt.Fprintf(w, "%.0f km\n", ir.Data[float32](request.Output(0)))
	return nil
}
