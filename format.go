package vinoir

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Format reads models that are not XML. The rules are those of the layer types that the model may
// use.
type Format interface {
	ReadFile(ctx context.Context, path string, rules infer.Rules) (*ir.Model, error)
	ReadFS(ctx context.Context, fsys fs.FS, name string, rules infer.Rules) (*ir.Model, error)
	Read(ctx context.Context, data []byte, rules infer.Rules) (*ir.Model, error)
}

// startBytes is the number of bytes of a file that tell whether it is XML.
const startBytes = 64

// isOther reports whether Format is to read the model in the file that open opens. If the file
// cannot be read, the reader of XML reports it.
func (o Options) isOther(open func() (io.ReadCloser, error)) bool {
	if o.Format == nil {
		return false
	}
	file, err := open()
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, startBytes)
	n, err := io.ReadFull(file, start)
	return (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && !isXML(start[:n])
}

// isXML reports whether a document that starts with the given bytes can be XML: it is empty, or
// begins with "<" after white space, or with the byte order mark of an encoding.
func isXML(start []byte) bool {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(start, []byte(mark)) {
			return true
		}
	}
	start = bytes.TrimLeft(start, " \t\r\n")
	return len(start) == 0 || start[0] == '<'
}

// openFile returns a function that opens the file at path, which must be a regular one.
func openFile(path string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return regular.Open(path) }
}

// openFS returns a function that opens a file in fsys.
func openFS(fsys fs.FS, name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return fsys.Open(name) }
}
