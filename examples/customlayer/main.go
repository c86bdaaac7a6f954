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

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

//go:embed model.xml
var files embed.FS

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	options := vinoir.Options{Ops: append(builtin.Ops(), greatCircle)}
	model, err := options.OpenFS(files, "model.xml")
	if err != nil {
		return err
	}
	defer model.Close()
	for _, port := range append(model.Inputs(), model.Outputs()...) {
		fmt.Fprintf(w, "%-6s %v%v\n", port.Name, port.Type, port.Shape)
	}

	inputs := vinoir.Tensors{}
	for name, places := range map[string][][]float32{
		"start": {{52.52, 13.41}, {40.71, -74.01}}, // Berlin, New York
		"via":   {{48.86, 2.35}, {64.15, -21.94}},  // Paris, Reykjavik
		"end":   {{51.51, -0.13}, {59.91, 10.75}},  // London, Oslo
	} {
		if inputs[name], err = ir.TensorFrom(places); err != nil {
			return err
		}
	}
	outputs, err := model.Infer(context.Background(), inputs)
	if err != nil {
		return err
	}
	lengths, err := ir.DataOf[float32](outputs["length"])
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%.0f km\n", lengths)
	return nil
}
