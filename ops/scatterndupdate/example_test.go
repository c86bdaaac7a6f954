package scatterndupdate_test

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/scatterndupdate"
)

// The first example of the ONNX specification.
func ExampleONNX() {
	data := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	out, err := scatterndupdate.ONNX(scatterndupdate.Options{}, data, []int{8}, []int64{4, 3, 1, 7}, []int{4, 1}, []float32{9, 10, 11, 12}, []int{4})
	fmt.Println(out, err)
	// Output: [1 11 3 10 9 6 7 12] <nil>
}

// Pairs of indices refer to elements of a matrix. Two pairs are equal.
func ExampleONNXInto() {
	data := make([]int32, 6)
	o := scatterndupdate.Options{Reduction: "add"}
	err := scatterndupdate.ONNXInto(o, data, data, []int{2, 3}, []int64{0, 1, 1, -1, 0, 1}, []int{3, 2}, []int32{1, 2, 3}, []int{3})
	fmt.Println(data, err)
	// Output: [0 4 0 0 0 2] <nil>
}

func ExampleOpenVINO() {
	o := scatterndupdate.Options{Version: 15, Reduction: "sub"}
	out, err := scatterndupdate.OpenVINO(o, []bool{false, true}, []int{2}, []int32{0, 1}, []int{2, 1}, []bool{true, true}, []int{2})
	fmt.Println(out, err)
	// Output: [true false] <nil>
}

func ExampleOpenVINO_indexError() {
	_, err := scatterndupdate.OpenVINO(scatterndupdate.Options{}, []int8{1, 2, 3, 4}, []int{2, 2}, []int32{0, 1, 1, 2}, []int{2, 2}, []int8{7, 8}, []int{2})
	var at *ops.IndexError
	if errors.As(err, &at) {
		fmt.Println(at.Position, at.Value)
	}
	fmt.Println(err)
	// Output:
	// [1 1] 2
	// index 2 at position [1 1] is outside [-2,1]
}
