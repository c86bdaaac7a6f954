package conformance

import (
	"bytes"
	"context"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
)

// Written returns m after it was written, with the inferred shapes, and read again. It is an error
// if package validate finds anything in what was written.
func Written(ctx context.Context, m *ir.Model, rules infer.Rules) (*ir.Model, error) {
	shapes, err := infer.Propagate(ctx, m, rules, nil)
	if err != nil {
		return nil, err
	}
	var xml, bin bytes.Buffer
	if err := irxml.Write(ctx, &xml, &bin, m, irxml.WriteOptions{Shapes: shapes}); err != nil {
		return nil, faults.Errorf("the model cannot be written: %w", err)
	}
	written, err := irxml.Read(xml.Bytes(), bin.Bytes(), irxml.ReadOptions{})
	if err != nil {
		return nil, faults.Errorf("what was written cannot be read: %w in\n%s", err, &xml)
	}
	report, err := validate.Model(ctx, written, rules, nil)
	if err != nil {
		return nil, err
	}
	if len(report.Findings) > 0 {
		return nil, faults.Errorf("what was written is not valid: %v in\n%s", &report.Findings[0], &xml)
	}
	return written, nil
}
