package diff_test

import (
	"context"
	"fmt"
	"log"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/ir/diff"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

func ExampleModels() {
	ctx := context.Background()
	m, rules := exampletest.Reshape()
	b := edit.Change(ctx, m, rules)
	b.Name(b.Find("flat"), "flatter")
	b.Connect(b.Find("flatter").Layer, 1, b.ConstantOf([]int64{1, 12}))
	b.InsertAfter(b.Find("flatter"), func(s edit.Source) edit.Source { return b.Layer("Relu", 1, nil, s) })
	changed, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	shapes, err := infer.Propagate(ctx, m, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	changedShapes, err := infer.Propagate(ctx, changed, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	report := diff.Models(m, changed, diff.Options{ShapesA: shapes, ShapesB: changedShapes})
	for _, d := range report.Differences {
		fmt.Println(&d)
	}
	fmt.Println(report.Matched, report.LayersA, report.LayersB)
	// Output:
	// layer 1 "target" (Constant, opset1): name: "target" -> "Constant_4"
	// layer 1 "target" (Constant, opset1): weights: i64[2] -> i64[2]: 1 of 2 elements differ, the largest difference is 13, at 1, the largest relative one 1.08, at 1
	// layer 2 "flat" (Reshape, opset1): name: "flat" -> "flatter"
	// + layer 5 "Relu_5" (Relu, opset1)
	// layer 3 "y" (Result, opset1): input 0: "flat" (Reshape) -> "Relu_5" (Relu)
	// 4 4 5
}

// A program that only looks at some kinds of differences.
func ExampleDifference() {
	m, _ := exampletest.Reshape()
	c := m.Clone()
	c.Layers[2].SetAttribute("special_zero", "false")
	c.Layers[2].Name = "flatter"
	for _, d := range diff.Models(m, c, diff.Options{}).Differences {
		if d.Kind != diff.Name {
			fmt.Printf("%s, %s: %s, then %s\n", d.Layer().Name, d.What(), d.A, d.B)
		}
	}
	// Output: flat, attribute special_zero: "true", then "false"
}

func ExampleKinds() {
	fmt.Println(diff.Kinds())
	// Output: [only-in-a only-in-b type opset name attribute input output tensor-names weights body order version]
}
