package onnx

import (
	"context"
	"io/fs"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Format is the format for the field of that name in vinoir.Options:
//
//	model, err := vinoir.Options{Format: onnx.Format{}}.Open("model.onnx")
type Format struct {
	// Options are those for reading, without the rules.
	Options Options
}

// ReadFile is like the function ReadFile.
func (f Format) ReadFile(ctx context.Context, path string, rules infer.Rules) (*ir.Model, error) {
	f.Options.Rules = rules
	return ReadFile(ctx, path, f.Options)
}

// ReadFS is like the function ReadFS.
func (f Format) ReadFS(ctx context.Context, fsys fs.FS, name string, rules infer.Rules) (*ir.Model, error) {
	f.Options.Rules = rules
	return ReadFS(ctx, fsys, name, f.Options)
}

// Read is like the function Read.
func (f Format) Read(ctx context.Context, data []byte, rules infer.Rules) (*ir.Model, error) {
	f.Options.Rules = rules
	return Read(ctx, data, f.Options)
}
