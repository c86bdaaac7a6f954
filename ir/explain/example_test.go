package explain_test

import (
	"context"
	"fmt"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/ir/explain"
	"github.com/vinoir/vinoir/ir/infer"
)

// This example explains why the batch of the Reshape is always 1.
func ExampleOutput() {
	m, rules := exampletest.Reshape()
	shapes, err := infer.Propagate(context.Background(), m, rules, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	explanation, err := explain.Output(context.Background(), m, rules, shapes, m.Results[0], 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(explanation)
	// Output:
	// layer 3 "y" (Result, opset1): output 0: f32[1,12]
	//   dim 0 = 1
	//     dim 0 = 1 of layer 2 "flat" (Reshape, opset1)
	//       value 0 = 1 of Constant "target" at bin offset 0, 16 bytes, which holds i64[2] = [1,-1]
	//   dim 1 = 12
	//     dim 1 = 12 of layer 2 "flat" (Reshape, opset1)
	//       dim 0 = 1 of input "x"
	//       dim 1 = 3 of input "x"
	//       dim 2 = 4 of input "x"
	//       value 0 = 1 of Constant "target" at bin offset 0, 16 bytes, which holds i64[2] = [1,-1]
	//       value 1 = -1 of Constant "target" at bin offset 0, 16 bytes, which holds i64[2] = [1,-1]
}
