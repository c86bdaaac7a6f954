package validate_test

import (
	"context"
	"fmt"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/ir/validate"
)

// This example prints the differences between the file and the inferred types and shapes.
func ExampleModel() {
	m, rules := exampletest.Reshape()
	report, err := validate.Model(context.Background(), m, rules, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Println(f.Line, f.Severity, f.Rule, f.Layer.Name, f.Port, f.Declared, f.Inferred)
	}
	// Output: 11 warning stale-shape flat 0 [1,5] [1,12]
}
