package gathernd_test

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/gathernd"
)

// The first example of the ONNX specification: pairs of indices refer to elements.
func ExampleGather() {
	data := []int32{
		0, 1,
		2, 3,
	}
	out, err := gathernd.Gather(gathernd.ONNX13, data, []int{2, 2}, []int64{0, 0, 1, 1}, []int{2, 2}, 0)
	fmt.Println(out, err)
	// Output: [0 3] <nil>
}

// With batchDims, each batch has its own tuples.
func ExampleGatherInto() {
	data := []string{
		"a", "b",
		"c", "d",
		"e", "f",
		"g", "h",
	}
	out := make([]string, 4)
	err := gathernd.GatherInto(gathernd.OpenVINO8, out, data, []int{2, 2, 2}, []int32{1, 0}, []int{2, 1}, 1)
	fmt.Println(out, err)
	shape, err := gathernd.OutputShape(gathernd.OpenVINO8, []int{2, 2, 2}, []int{2, 1}, 1)
	fmt.Println(shape, err)
	// Output:
	// [c d e f] <nil>
	// [2 2] <nil>
}

// Each index is checked against its own axis: [0,3] is not an element of a 3x3 matrix, although
// there is an element at offset 3.
func ExampleGather_indexError() {
	_, err := gathernd.Gather(gathernd.OpenVINO8, make([]int8, 9), []int{3, 3}, []int32{0, 3}, []int{1, 2}, 0)
	var at *ops.IndexError
	if errors.As(err, &at) {
		fmt.Println(at.Position, at.Value)
	}
	fmt.Println(err)
	// Output:
	// [0 1] 3
	// index 3 at position [0 1] is outside [-3,2]
}
