// Command checkmodels checks all models below a folder, for CI: it prints what is wrong with each,
// and fails if there is an error or a warning.
package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path"

	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: checkmodels DIR")
	}
	faults, err := check(os.Stdout, os.DirFS(os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// check prints the findings of all models in files. It returns the number of errors and warnings.
func check(w io.Writer, files fs.FS) (faults int, err error) {
	rules, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		return 0, err
	}
	err = fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".xml" {
			return err
		}
		model, err := irxml.ReadFS(files, name, irxml.ReadOptions{})
		if err != nil { // the next model is checked too
			fmt.Fprintln(w, err)
			faults++
			return nil
		}
		report, err := validate.Model(context.Background(), model, rules, nil)
		if err != nil {
			return err
		}
		for _, finding := range report.Findings {
			fmt.Fprintf(w, "%s:%v\n", name, &finding)
		}
		faults += report.Errors() + report.Count(validate.SeverityWarning)
		return nil
	})
	return faults, err
}
