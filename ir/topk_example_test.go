package ir_test

import (
	"fmt"
	"log"

	"github.com/vinoir/vinoir/ir"
)

// The two classes that a network thinks most likely.
func ExampleTopK() {
	probabilities, err := ir.TensorFrom([][]float32{{0.125, 0.5, 0.25, 0.125}})
	if err != nil {
		log.Fatal(err)
	}
	best, err := ir.TopK(probabilities, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, class := range best {
		fmt.Println(class.Index, class.Value)
	}
	// Output:
	// 1 0.5
	// 2 0.25
}
