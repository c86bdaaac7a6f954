package irxml_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
)

// This example corrects the dims and precisions of a document.
func ExampleFixPorts() {
	m, rules := exampletest.Reshape()
	report, err := validate.Model(context.Background(), m, rules, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fixes, err := report.PortFixes()
	if err != nil {
		fmt.Println(err)
		return
	}
	fixed, ports, err := irxml.FixPorts(m, []byte(irtest.ReshapeXML), fixes)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ports, string(fixed) == strings.ReplaceAll(irtest.ReshapeXML, "<dim>5</dim>", "<dim>12</dim>"))
	// Output: 1 true
}

// This example writes a model with a name changed.
func ExampleWriteFile() {
	m, _ := exampletest.Reshape()
	m.Name = "renamed"
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model.xml")
	if err := irxml.WriteFile(context.Background(), path, m, irxml.WriteOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	again, err := irxml.ReadFile(path, irxml.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Name, len(again.Order), again.BinSize)
	// Output: renamed 4 16
}
