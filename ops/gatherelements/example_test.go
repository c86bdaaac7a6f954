package gatherelements_test

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/gatherelements"
)

// The second example of the ONNX specification: each column selects the rows that its indices
// refer to.
func ExampleONNX() {
	data := []float32{
		1, 2, 3,
		4, 5, 6,
		7, 8, 9,
	}
	indices := []int64{
		1, 2, 0,
		2, 0, 0,
	}
	out, err := gatherelements.ONNX(gatherelements.Options{Axis: 0}, data, []int{3, 3}, indices, []int{2, 3})
	fmt.Println(out, err)
	// Output: [4 8 3 7 2 3] <nil>
}

// torch.gather accepts an index that is shorter than the data along other axes than dim.
func ExampleTorchGather() {
	data := []string{
		"a", "b", "c",
		"d", "e", "f",
	}
	out, err := gatherelements.TorchGather(data, []int{2, 3}, 1, []int64{2, 0}, []int{1, 2})
	fmt.Println(out, err)
	// Output: [c a] <nil>
}

// The error of an index holds its position.
func ExampleONNX_indexError() {
	_, err := gatherelements.ONNX(gatherelements.Options{Axis: 1}, make([]int8, 6), []int{2, 3}, []int32{0, 1, 2, 3}, []int{2, 2})
	var at *ops.IndexError
	if errors.As(err, &at) {
		fmt.Println(at.Position, at.Value)
	}
	fmt.Println(err)
	// Output:
	// [1 1] 3
	// index 3 at position [1 1] is outside [-3,2]
}

// ONNXInto writes to existing memory.
func ExampleONNXInto() {
	out := make([]int16, 4)
	err := gatherelements.ONNXInto(gatherelements.Options{}, out, []int16{10, 20, 30}, []int{3}, []int32{-1, 0, 0, 1}, []int{4})
	fmt.Println(out, err)
	// Output: [30 10 10 20] <nil>
}
