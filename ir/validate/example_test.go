package validate_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/plugin"
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

// A model without its weights is checked too: the dims that depend on them are taken from the file,
// and must agree with the others there.
func ExampleModelWith() {
	_, rules := exampletest.Reshape()
	m, err := irxml.Read([]byte(irtest.ReshapeXML), nil, irxml.ReadOptions{NoBin: true})
	if err != nil {
		log.Fatal(err)
	}
	report, err := validate.ModelWith(context.Background(), m, rules, validate.Options{AssumeDeclared: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Findings {
		fmt.Println(f.Rule, f.Message)
	}
	// Output: contradiction output 0 is [1,5] in the file, which has 5 elements; input 0 is [1,3,4], which has 12
}

// A program that runs models can warn of weights that are those of another one.
func ExampleUnusedBin() {
	m, err := irxml.Read([]byte(irtest.ReshapeXML), make([]byte, 5000), irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if f := validate.UnusedBin(m); f != nil {
		fmt.Println(f.Message)
	}
	// Output: the constants end at byte 16, the .bin has 5000: it may belong to another model
}

// A check in CI fails if there are errors, and prints all findings.
func ExampleReport() {
	m, rules := exampletest.Reshape()
	report, err := validate.Model(context.Background(), m, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Errors(), report.Count(validate.SeverityWarning))
	for _, finding := range report.Findings {
		fmt.Println(finding.String())
	}
	// Output:
	// 0 1
	// 11: warning: layer 2 "flat" (Reshape, opset1): output 0 is [1,5] in the file, inferred [1,12] [stale-shape]
}

// The fixes are what irxml.FixPorts writes into a file.
func ExampleReport_PortFixes() {
	m, rules := exampletest.Reshape()
	report, err := validate.Model(context.Background(), m, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	fixes, err := report.PortFixes()
	if err != nil {
		log.Fatal(err)
	}
	for _, fix := range fixes {
		fmt.Println(fix.Layer.Name, fix.Input, fix.Port, fix.Shape)
	}
	// Output: flat false 0 [1,12]
}

func ExampleFinding() {
	m, rules := exampletest.Reshape()
	report, err := validate.Model(context.Background(), m, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	f := report.Findings[0]
	fmt.Println(f.Rule == validate.RuleShape, f.Severity, f.Fixable())
	// Output: true warning true
}

// The rules of findings explain themselves.
func ExampleFindingRules() {
	for _, rule := range validate.FindingRules()[:2] {
		fmt.Println(rule.ID, rule.Severity, rule.Summary)
	}
	// Output:
	// inference error The layer's inputs or attributes are not allowed.
	// unsupported-layer error There is no shape rule for the layer's type.
}

// A registry returns errors that are Unsupported for layer types that it does not have. They become
// findings of RuleUnsupported.
func ExampleUnsupported() {
	registry, err := plugin.NewRegistry()
	if err != nil {
		log.Fatal(err)
	}
	m, _ := exampletest.Reshape()
	_, err = registry.Rule(m.Layers[2])
	var unsupported validate.Unsupported
	fmt.Println(errors.As(err, &unsupported) && unsupported.Unsupported())
	report, err := validate.Model(context.Background(), m, registry, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Findings[0].Rule)
	// Output:
	// true
	// unsupported-layer
}
