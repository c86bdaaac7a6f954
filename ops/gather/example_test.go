package gather_test

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/gather"
)

// Select the rows of an embedding table by token.
func ExampleGather() {
	table := []float32{
		0.0, 0.1,
		1.0, 1.1,
		2.0, 2.1,
	}
	tokens := []int64{2, 0, 2, -2}
	out, err := gather.Gather(gather.ONNX13, table, []int{3, 2}, tokens, []int{2, 2}, 0, 0)
	fmt.Println(out, err)
	shape, err := gather.OutputShape(gather.ONNX13, []int{3, 2}, []int{2, 2}, 0, 0)
	fmt.Println(shape, err)
	// Output:
	// [2 2.1 0 0.1 2 2.1 1 1.1] <nil>
	// [2 2 2] <nil>
}

// OpenVINO returns zero for an index that is out of range; ONNX and torch return an error.
func ExampleGather_outOfRange() {
	out, err := gather.Gather(gather.OpenVINO8, []string{"a", "b"}, []int{2}, []int32{1, 2}, []int{2}, 0, 0)
	fmt.Printf("%q %v\n", out, err)
	_, err = gather.Gather(gather.Torch, []string{"a", "b"}, []int{2}, []int32{1, 2}, []int{2}, 0, 0)
	var at *ops.IndexError
	fmt.Println(err, errors.As(err, &at))
	// Output:
	// ["b" ""] <nil>
	// index 2 at position [1] is outside [0,1] true
}

// With batchDims, each row has its own indices.
func ExampleGatherInto() {
	out := make([]int16, 2)
	err := gather.GatherInto(gather.OpenVINO8, out, []int16{1, 2, 3, 4, 5, 6}, []int{2, 3}, []int32{2, 0}, []int{2, 1}, 1, 1)
	fmt.Println(out, err)
	// Output: [3 4] <nil>
}
