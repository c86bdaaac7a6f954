// Command scatter runs a model that is embedded in the program. The model is a step of message
// passing on a graph with 5 nodes and 6 edges. Each edge sends the value of its source to its
// target, and each target computes the sum and the maximum of what it receives:
//
//	messages = Gather(nodes, sources)
//	sum      = ScatterElementsUpdate(nodes, targets, messages), reduction sum
//	max      = ScatterElementsUpdate(nodes, targets, messages), reduction max
//
// The sum includes the target's own value, the maximum does not. model.py wrote the model with
// OpenVINO.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"os"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/gather"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/ops/scatterelements"
	"github.com/vinoir/vinoir/plugin"
)

//go:embed model.xml model.bin
var files embed.FS

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	xml, err := files.ReadFile("model.xml")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n", xml)

	model, err := irxml.ReadFS(files, "model.xml", irxml.ReadOptions{})
	if err != nil {
		return err
	}
	// Register only the operations of the model, so that no others are linked.
	registry, err := plugin.NewRegistry(slices.Concat(
		constant.Ops, gather.Ops, parameter.Ops, result.Ops, scatterelements.Ops)...)
	if err != nil {
		return err
	}
	shapes, err := infer.Propagate(context.Background(), model, registry, nil)
	if err != nil {
		return err
	}
	for _, layer := range model.Order {
		for _, fact := range shapes.Outputs(layer) {
			fmt.Fprintf(w, "%-22s %-12s %v%v\n", layer.Type, layer.Name, fact.Type, fact.Shape)
		}
	}

	ctx := context.Background()
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(ctx, model, plugin.CompileOptions{})
	if err != nil {
		return err
	}
	defer compiled.Close()
	nodes, err := ir.TensorOf(ir.F32, ir.Shape{5, 2}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	if err != nil {
		return err
	}
	request := compiled.NewInferRequest()
	if err := request.SetInputByName("nodes", nodes); err != nil {
		return err
	}
	if err := request.Infer(ctx); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nnodes %v = %v\n", nodes.Shape(), ir.Data[float32](nodes))
	for _, name := range []string{"sum", "max"} {
		output, err := request.OutputByName(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s   %v = %v\n", name, output.Shape(), ir.Data[float32](output))
	}
	return nil
}
