package reshape_test

import (
	"context"
	"fmt"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/reshape"
)

// This example prints the shapes of all layers after a reshape.
func ExampleInputs() {
	m, rules := exampletest.Reshape()
	m, err := reshape.Inputs(context.Background(), m, rules, map[string]ir.PartialShape{
		"image": ir.ShapeOf(ir.Dim(1), ir.DimRange(1, 8), ir.Dim(4)),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	shapes, err := infer.Propagate(context.Background(), m, rules, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, layer := range m.Order {
		for _, fact := range shapes.Outputs(layer) {
			fmt.Println(layer.Name, fact.Type, fact.Shape)
		}
	}
	// Output:
	// x f32 [1,1..8,4]
	// target i64 [2]
	// flat f32 [1,4..32]
	// y f32 [1,4..32]
}
