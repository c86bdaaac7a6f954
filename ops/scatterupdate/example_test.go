package scatterupdate_test

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/scatterupdate"
)

func ExampleUpdate() {
	data := []float32{
		1, 2,
		3, 4,
		5, 6,
	}
	out, err := scatterupdate.Update(data, []int{3, 2}, []int32{2, 0}, []int{2}, []float32{50, 60, 10, 20}, []int{2, 2}, 0)
	fmt.Println(out, err)
	// Output: [10 20 3 4 50 60] <nil>
}

// Replace slices along the last axis in place.
func ExampleUpdateInto() {
	data := []string{
		"a", "b", "c",
		"d", "e", "f",
	}
	err := scatterupdate.UpdateInto(data, data, []int{2, 3}, []int64{1}, []int{1}, []string{"x", "y"}, []int{2, 1}, -1)
	fmt.Println(data, err)
	// Output: [a x c d y f] <nil>
}

// A negative index is an error in ScatterUpdate.
func ExampleUpdate_indexError() {
	_, err := scatterupdate.Update([]int8{1, 2, 3}, []int{3}, []int32{0, -1}, []int{2}, []int8{7, 8}, []int{2}, 0)
	var at *ops.IndexError
	if errors.As(err, &at) {
		fmt.Println(at.Position, at.Value)
	}
	fmt.Println(err)
	// Output:
	// [1] -1
	// index -1 at position [1] is outside [0,2]
}
