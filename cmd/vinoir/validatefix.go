package main

import (
	"path/filepath"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
)

// fixer writes the file of a model for --fix.
type fixer struct {
	target *target // nil if the file cannot be written
	err    error   // the reason
}

// open opens and reads file. An error is kept until there is something to write.
func (f *fixer) open(file modelFile) {
	path, err := filepath.Rel(file.tree, file.path)
	if err == nil {
		f.target, err = openTarget(file.tree, path, maxXMLBytes)
	}
	f.err = err
}

func (f *fixer) close() {
	if f.target != nil {
		f.target.dir.Close()
	}
}

// fix writes the inferred dims and types of the ports into the file, from which m was read.
func (f *fixer) fix(m *ir.Model, report *validate.Report) error {
	if !slices.ContainsFunc(report.Findings, func(finding validate.Finding) bool { return finding.Fixable() }) {
		return nil
	}
	if f.err != nil {
		return f.err
	}
	fixes, err := report.PortFixes()
	if err != nil {
		return err
	}
	fixed, ports, err := irxml.FixPorts(m, f.target.old, fixes)
	if err != nil || ports == 0 {
		return err
	}
	return f.target.replace(fixed)
}
