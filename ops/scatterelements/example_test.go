package scatterelements_test

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/scatterelements"
)

// The first example of the ONNX specification.
func ExampleONNX() {
	data := make([]float32, 9)
	indices := []int64{
		1, 0, 2,
		0, 2, 1,
	}
	updates := []float32{
		1.0, 1.1, 1.2,
		2.0, 2.1, 2.2,
	}
	out, err := scatterelements.ONNX(scatterelements.Options{Version: 18}, data, []int{3, 3}, indices, []int{2, 3}, updates, []int{2, 3})
	fmt.Println(out[0:3], out[3:6], out[6:9], err)
	// Output: [2 1.1 0] [1 0 2.2] [0 2.1 1.2] <nil>
}

// A reduction of version 18, with a negative axis.
func ExampleONNX_reduction() {
	o := scatterelements.Options{Version: 18, Axis: -1, Reduction: "max"}
	out, err := scatterelements.ONNX(o, []int32{1, 2, 3, 4, 5}, []int{1, 5}, []int32{1, 1, -1}, []int{1, 3}, []int32{7, 6, 0}, []int{1, 3})
	fmt.Println(out, err)
	// Output: [1 7 3 4 5] <nil>
}

// If data is also out, it is updated in place.
func ExampleONNXInto() {
	names := []string{"a", "b", "c"}
	err := scatterelements.ONNXInto(scatterelements.Options{Version: 13}, names, names, []int{3}, []int64{-1}, []int{1}, []string{"z"}, []int{1})
	fmt.Println(names, err)
	// Output: [a b z] <nil>
}

// The error of an index holds its position.
func ExampleONNX_indexError() {
	data := make([]int8, 6)
	_, err := scatterelements.ONNX(scatterelements.Options{Axis: 1}, data, []int{2, 3}, []int32{0, 1, 2, 3}, []int{2, 2}, data[:4], []int{2, 2})
	var at *ops.IndexError
	if errors.As(err, &at) {
		fmt.Println(at.Position, at.Value)
	}
	fmt.Println(err)
	// Output:
	// [1 1] 3
	// index 3 at position [1 1] is outside [-3,2]
}

// The example of scatter_ in the documentation of torch: src may be larger than the index.
func ExampleTorchScatter() {
	src := []int64{
		1, 2, 3, 4, 5,
		6, 7, 8, 9, 10,
	}
	self := make([]int64, 15)
	err := scatterelements.TorchScatter(self, self, []int{3, 5}, 0, []int64{0, 1, 2, 0}, []int{1, 4}, src, []int{2, 5}, "")
	fmt.Println(self[0:5], self[5:10], self[10:15], err)
	// Output: [1 0 0 4 0] [0 2 0 0 0] [0 0 3 0 0] <nil>
}

// Use one value for every index.
func ExampleTorchScatterValue() {
	self := []float32{2, 2, 2, 2, 2, 2, 2, 2}
	err := scatterelements.TorchScatterValue(self, self, []int{2, 4}, 1, []int64{2, 3}, []int{2, 1}, 1.5, "multiply")
	fmt.Println(self, err)
	// Output: [2 2 3 2 2 2 2 3] <nil>
}

// Add up the messages of the edges of a graph at their target nodes.
func ExampleTorchScatterAdd() {
	nodes := make([]float32, 3)
	to := []int64{0, 2, 2, 0}
	messages := []float32{1, 2, 3, 4}
	err := scatterelements.TorchScatterAdd(nodes, nodes, []int{3}, 0, to, []int{4}, messages, []int{4})
	fmt.Println(nodes, err)
	// Output: [5 0 5] <nil>
}

// Without the initial value, the mean is that of the updates alone.
func ExampleTorchScatterReduce() {
	self := []float64{1, 2, 3, 4}
	out := make([]float64, 4)
	index, src := []int64{0, 1, 0, 1, 2, 1}, []float64{1, 2, 3, 4, 5, 6}
	for _, includeSelf := range []bool{true, false} {
		err := scatterelements.TorchScatterReduce(out, self, []int{4}, 0, index, []int{6}, src, []int{6}, "mean", includeSelf)
		fmt.Println(out, err)
	}
	// Output:
	// [1.6666666666666667 3.5 4 4] <nil>
	// [2 4 5 4] <nil>
}
