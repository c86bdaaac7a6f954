package vinoir

import (
	"context"
	"io"
	"io/fs"

	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
)

// Format reads models that are not XML. A file of a known kind that it cannot read either, such as
// an archive, is not given to it: the error says what the file is. The rules are those of the layer
// types that the model may use.
type Format interface {
	ReadFile(ctx context.Context, path string, rules infer.Rules) (*ir.Model, error)
	ReadFS(ctx context.Context, fsys fs.FS, name string, rules infer.Rules) (*ir.Model, error)
	Read(ctx context.Context, data []byte, rules infer.Rules) (*ir.Model, error)
}

// isOther reports whether Format is to read the model in the file that open opens.
func (o Options) isOther(open func() (io.ReadCloser, error)) bool {
	return o.Format != nil && irxml.FileIsOther(open)
}

// openFile returns a function that opens the file at path, which must be a regular one.
func openFile(path string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return regular.Open(path) }
}

// openFS returns a function that opens a file in fsys.
func openFS(fsys fs.FS, name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return fsys.Open(name) }
}
