package preprocess_test

import (
	"context"
	"fmt"
	"image"
	"log"
	"os"

	"github.com/vinoir/vinoir/preprocess"
)

// A service decodes what it was sent, with a limit of the pixels.
func ExampleDecode() {
	data, err := os.ReadFile("testdata/rgb.png")
	if err != nil {
		log.Fatal(err)
	}
	picture, err := preprocess.Decode(data, 1_000_000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(picture.Bounds().Size())
	// Output: (23,17)
}

// A service decodes what it was sent as long as somebody waits for the result.
func ExampleDecodeContext() {
	data, err := os.ReadFile("testdata/rgb.png")
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = preprocess.DecodeContext(ctx, data, 0)
	fmt.Println(err)
	// Output: context canceled
}

// A program that takes tensors and pictures tells them apart.
func ExampleIsPicture() {
	fmt.Println(preprocess.IsPicture([]byte("\x89PNG\r\n\x1a\n")), preprocess.IsPicture([]byte("\x93NUMPY")))
	// Output: true false
}

func ExampleLayout() {
	picture := image.NewGray(image.Rect(0, 0, 4, 2))
	for _, layout := range []preprocess.Layout{preprocess.NCHW, preprocess.HWC} {
		tensor, err := preprocess.Image{Layout: layout}.Tensor(picture)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(layout, tensor.Shape())
	}
	// Output:
	// NCHW [1,3,2,4]
	// HWC [2,4,3]
}

func ExampleColor() {
	picture := image.NewGray(image.Rect(0, 0, 4, 2))
	for _, color := range []preprocess.Color{preprocess.BGR, preprocess.Gray} {
		tensor, err := preprocess.Image{Color: color}.Tensor(picture)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(color, tensor.Shape())
	}
	// Output:
	// BGR [1,3,2,4]
	// Gray [1,1,2,4]
}
