package vinoir_test

import (
	"context"
	"fmt"
	"log"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
)

// A model whose variable v starts from in0 and grows by in1: a session goes on, and a fork of it
// has a way of its own.
func ExampleSession() {
	model, err := vinoir.Open("testdata/ir/Assign-6/f32/model.xml")
	if err != nil {
		log.Fatal(err)
	}
	one, err := ir.TensorFrom([]float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 4, 1, 3)
	if err != nil {
		log.Fatal(err)
	}
	session := model.NewSession()
	infer := func(session *vinoir.Session) {
		outputs, err := session.Infer(context.Background(), vinoir.Tensors{"in0": one, "in1": one})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(outputs["out0"].Values()(0))
	}
	infer(session)
	infer(session)
	other, err := session.Fork()
	if err != nil {
		log.Fatal(err)
	}
	if err := session.Reset(); err != nil {
		log.Fatal(err)
	}
	infer(session)
	if err := other.Truncate(0, 4); err != nil { // all four rows
		log.Fatal(err)
	}
	infer(other)
	// Output:
	// 2
	// 3
	// 2
	// 4
}
