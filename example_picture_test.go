package vinoir_test

import (
	"context"
	"fmt"
	"log"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/preprocess"
)

// The class of a picture. The size, the layout and the element type are those of the input of the
// model.
func Example_picture() {
	model := must(vinoir.Open("testdata/ir/PrePostProcessor/without/model.xml"))
	picture := must(preprocess.ReadFile("preprocess/testdata/smooth.jpg", 0))
	input, recipe := model.Inputs()[0], preprocess.Image{Mean: []float64{123.675, 116.28, 103.53}, Scale: []float64{58.395, 57.12, 57.375}}
	tensor := must(recipe.TensorFor(input.Type, input.Shape, picture))
	outputs := must(model.Infer(context.Background(), vinoir.Tensors{input.Name: tensor}))
	fmt.Println(must(ir.TopK(outputs[model.Outputs()[0].Name], 1))[0][0].Index)
	// Output: 1
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
