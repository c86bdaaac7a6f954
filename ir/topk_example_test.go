package ir_test

import (
	"fmt"
	"log"

	"github.com/vinoir/vinoir/ir"
)

// The two classes that a network thinks most likely for each of two pictures.
func ExampleTopK() {
	probabilities, err := ir.TensorFrom([][]float32{{0.125, 0.5, 0.25, 0.125}, {0.5, 0, 0.125, 0.375}})
	if err != nil {
		log.Fatal(err)
	}
	best, err := ir.TopK(probabilities, 2)
	if err != nil {
		log.Fatal(err)
	}
	for picture, classes := range best {
		for _, class := range classes {
			fmt.Println(picture, class.Index, class.Value)
		}
	}
	// Output:
	// 0 1 0.5
	// 0 2 0.25
	// 1 0 0.5
	// 1 3 0.375
}

// The two largest pixels of each column.
func ExampleTopKAxis() {
	pixels, err := ir.TensorFrom([][]uint8{{10, 200}, {30, 40}, {20, 90}})
	if err != nil {
		log.Fatal(err)
	}
	best, err := ir.TopKAxis(pixels, 2, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best)
	// Output: [[{1 30} {2 20}] [{0 200} {2 90}]]
}
