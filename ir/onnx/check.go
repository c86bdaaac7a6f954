package onnx

import (
	"context"
	"errors"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/check"
	"github.com/vinoir/vinoir/ir/validate"
)

// The rules that a finding of CheckFile can name, beside validate.RuleShape, validate.RuleType and
// validate.RuleVagueShape for what the file declares of values. They are stable.
const (
	RuleConversion = "onnx-conversion" // the model cannot be converted
	RuleOperator   = "onnx-operator"   // there is no rule for an operator
	RuleGraph      = "onnx-graph"      // ONNX's checker refuses the names or the order of values
	RuleField      = "onnx-field"      // ONNX's checker refuses a field
	RuleVersion    = "onnx-version"    // ONNX's checker refuses a version
	RuleNode       = "onnx-node"       // ONNX's checker refuses the form of a node
	RuleOwnLayer   = "onnx-own-layer"  // a layer has a type that OpenVINO does not have
	RuleSeveral    = "onnx-several"    // an operator becomes several layers
	RuleNames      = "onnx-names"      // layers have other names than nodes
	RuleUnneeded   = "onnx-unneeded"   // something in the file is not in the model
)

// Report says what is wrong with the file of a model, and how the model that is made of it differs
// from it. Findings about the whole file come first.
type Report struct {
	// Model is nil if the file cannot be converted. Findings then has errors.
	Model    *ir.Model
	Findings []validate.Finding
}

// CheckFile is ReadFile with a report. Warnings are what ONNX's own checker refuses although the
// model can be read, and where the types and shapes that the file declares are not the inferred
// ones. Notes say what is not as in the file. Findings have no lines.
//
// # Errors
//
// Errors are those of ReadFile for a file that is no ONNX model, or that cannot be read. What is
// wrong with a model is a finding.
func CheckFile(ctx context.Context, path string, opts Options) (*Report, error) {
	return checked(ctx, opts, func(opts Options) (*ir.Model, error) { return ReadFile(ctx, path, opts) })
}

// Check is CheckFile for the bytes of the file, as Read is.
func Check(ctx context.Context, data []byte, opts Options) (*Report, error) {
	return checked(ctx, opts, func(opts Options) (*ir.Model, error) { return Read(ctx, data, opts) })
}

// checked reads a model with a reporter, and returns its report.
func checked(ctx context.Context, opts Options, read func(Options) (*ir.Model, error)) (*Report, error) {
	r := new(reporter)
	opts.report = r
	m, err := read(opts)
	switch {
	case err != nil && (r.message == nil || ctx.Err() != nil):
		return nil, err
	case err != nil:
		r.addError(err)
	default:
		r.addModel(m)
	}
	return &Report{Model: m, Findings: r.findings}, nil
}

// checkRules has the rule for each kind of problem that the checker finds.
var checkRules = [...]string{check.KindGraph: RuleGraph, check.KindField: RuleField, check.KindVersion: RuleVersion, check.KindNode: RuleNode}

// addError adds the findings for an error because of which the model cannot be converted.
func (r *reporter) addError(err error) {
	var unsupported *UnsupportedError
	if errors.As(err, &unsupported) {
		for i := range unsupported.Operators {
			r.add(validate.Finding{Rule: RuleOperator, Severity: validate.SeverityError, Message: "an operator is not supported: " + unsupported.Operators[i].String()})
		}
	}
	var node *NodeError
	var format *ir.FormatError
	switch {
	case errors.As(err, &node):
		err = node
	case unsupported != nil:
		return
	case errors.As(err, &format):
		err = format.Err
	}
	r.add(validate.Finding{Rule: RuleConversion, Severity: validate.SeverityError, Message: err.Error()})
}
