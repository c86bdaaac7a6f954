package ir_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/vinoir/vinoir/ir"
)

func ExampleTensor_Format() {
	tensor, err := ir.TensorFrom([][]float32{{1, 2.5, 3}, {4, 5, 2. / 3}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tensor)
	fmt.Printf("%.2f\n", tensor)
	// Output:
	// f32[2,3]
	// [[        1       2.5         3]
	//  [        4         5 0.6666667]]
	// f32[2,3]
	// [[1.00 2.50 3.00]
	//  [4.00 5.00 0.67]]
}

func ExampleTensor_MarshalJSON() {
	tensor, err := ir.TensorFrom([][]int32{{1, 2}, {3, 4}})
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(tensor)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output: {"type":"i32","shape":[2,2],"data":[1,2,3,4]}
}
