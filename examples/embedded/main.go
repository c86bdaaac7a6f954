// Command embedded runs a model that is part of the program. vinoir embed has written the package
// messages.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/vinoir/vinoir/examples/embedded/messages"
	"github.com/vinoir/vinoir/ir"
)

//go:generate go run github.com/vinoir/vinoir/cmd/vinoir embed ../scatter/model.xml -o messages

func main() {
	model, err := messages.New(messages.Options{})
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := model.Infer(context.Background(), messages.Inputs{
		Nodes:      []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		NodesShape: ir.Shape{5, 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sum", outputs.SumShape, outputs.Sum)
	fmt.Println("max", outputs.MaxShape, outputs.Max)
}
