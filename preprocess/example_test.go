package preprocess_test

import (
	"fmt"
	"image"
	"image/color"
	"log"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/preprocess"
)

// A picture of 2 x 1 pixels, as a network wants it that was trained with BGR and a mean.
func ExampleImage_Tensor() {
	picture := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	picture.SetNRGBA(0, 0, color.NRGBA{R: 255, G: 128, A: 255})
	picture.SetNRGBA(1, 0, color.NRGBA{B: 255, A: 255})
	tensor, err := preprocess.Image{Color: preprocess.BGR, Mean: []float64{100, 110, 120}}.Tensor(picture)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tensor.Shape(), ir.Data[float32](tensor))
	// Output: [1,3,1,2] [-100 155 18 -110 135 -120]
}

// The layout, the size and the type are those of an input of a model.
func ExampleImage_TensorFor() {
	picture := image.NewGray(image.Rect(0, 0, 640, 480))
	tensor, err := preprocess.Image{}.TensorFor(ir.U8, ir.StaticShape(1, 224, 224, 3), picture)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tensor.ElementType(), tensor.Shape())
	// Output: u8 [1,224,224,3]
}

func ExampleReadFile() {
	picture, err := preprocess.ReadFile("testdata/rgb.png", 1_000_000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(picture.Bounds().Size())
	_, err = preprocess.ReadFile("testdata/rgb.png", 100)
	fmt.Println(err)
	// Output:
	// (23,17)
	// testdata/rgb.png: picture 23x17 has more than 100 pixels
}
