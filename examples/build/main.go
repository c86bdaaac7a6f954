// Command build makes a model in Go, without a file, and runs it. The model finds, for each query,
// the stored vectors that point most nearly in its direction, as a search by embeddings does:
//
//	score = query / |query| * vectors^T
//	top   = the two largest scores of each query, and the numbers of their vectors
//
// Each layer is checked when it is added: a wrong attribute or a shape that does not fit is an
// error that names the layer.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// The stored vectors, of length 1, and what they stand for.
var (
	vectors = [][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0.8, 0}}
	names   = []string{"red", "green", "blue", "olive"}
)

// build returns the model.
func build(ctx context.Context) (*ir.Model, error) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		return nil, err
	}
	b := edit.NewBuilder(ctx, registry, "nearest")
	query := b.Parameter("query", ir.F32, ir.ShapeOf(ir.AnyDim, ir.Dim(3)))
	unit := b.Layer("NormalizeL2", 1, edit.Attributes("eps", "1e-12", "eps_mode", "add"), query, b.ConstantOf([]int64{1}))
	score := b.Layer("MatMul", 1, edit.Attributes("transpose_a", "false", "transpose_b", "true"), unit, b.ConstantOf(vectors))
	top := b.Layer("TopK", 11, edit.Attributes(
		"axis", "1", "mode", "max", "sort", "value", "index_element_type", "i32", "stable", "false",
	), b.Name(score, "score"), b.ConstantOf(int32(2)))
	b.Result("scores", top)
	b.Result("numbers", top.Out(1))
	return b.Model()
}

func run(w io.Writer) error {
	ctx := context.Background()
	built, err := build(ctx)
	if err != nil {
		return err
	}
	for _, layer := range built.Order {
		for _, out := range layer.Outputs {
			fmt.Fprintf(w, "%-11s %-13s %v%v\n", layer.Type, layer.Name, out.DeclaredType, out.Declared)
		}
	}
	model, err := vinoir.Compile(built)
	if err != nil {
		return err
	}
	defer model.Close()

	query, err := ir.TensorFrom([][]float32{{200, 10, 0}, {90, 100, 10}})
	if err != nil {
		return err
	}
	outputs, err := model.Infer(ctx, vinoir.Tensors{"query": query})
	if err != nil {
		return err
	}
	scores, err := ir.DataOf[float32](outputs["scores"])
	if err != nil {
		return err
	}
	numbers, err := ir.DataOf[int32](outputs["numbers"])
	if err != nil {
		return err
	}
	for i := 0; i < len(numbers); i += 2 {
		fmt.Fprintf(w, "query %d: %s %.3f, %s %.3f\n", i/2, names[numbers[i]], scores[i], names[numbers[i+1]], scores[i+1])
	}
	return nil
}
