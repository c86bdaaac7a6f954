package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/validate"
)

const (
	// maxXMLBytes is the size of the largest XML that is read.
	maxXMLBytes = 1 << 30
	// maxONNXBytes is the size of the largest ONNX model that is read from standard input. Larger
	// ones, which protocol buffers do not allow, have their weights in other files.
	maxONNXBytes = 2 << 30
	// stdinName is the path that means standard input.
	stdinName = "-"
)

// read reads the model at path, or from standard input: an IR or an ONNX model, as its first bytes
// tell.
func (a *app) read(ctx context.Context, f *modelFlags, path string) (*ir.Model, error) {
	return a.readBy(f, path, onnxReader{
		file: func(path string) (*ir.Model, error) { return onnx.ReadFile(ctx, path, a.readingONNX(f)) },
		data: func(data []byte) (*ir.Model, error) { return onnx.Read(ctx, data, a.readingONNX(f)) },
	})
}

// readChecked is read with what the reader of ONNX models finds wrong, and how the model differs
// from the file. The model is nil without an error if an ONNX model cannot be converted.
func (a *app) readChecked(ctx context.Context, f *modelFlags, path string) (m *ir.Model, found []validate.Finding, err error) {
	keep := func(report *onnx.Report, err error) (*ir.Model, error) {
		if err != nil {
			return nil, err
		}
		found = report.Findings
		return report.Model, nil
	}
	m, err = a.readBy(f, path, onnxReader{
		file: func(path string) (*ir.Model, error) { return keep(onnx.CheckFile(ctx, path, a.readingONNX(f))) },
		data: func(data []byte) (*ir.Model, error) { return keep(onnx.Check(ctx, data, a.readingONNX(f))) },
	})
	return m, found, err
}

// onnxReader reads an ONNX model from a file or from its bytes.
type onnxReader struct {
	file func(path string) (*ir.Model, error)
	data func(data []byte) (*ir.Model, error)
}

// readBy reads the model at path, by reader if it is an ONNX model.
func (a *app) readBy(f *modelFlags, path string, reader onnxReader) (*ir.Model, error) {
	if f.noBin && f.bin != "" {
		return nil, usagef("--bin and --no-bin exclude each other")
	}
	if path == stdinName {
		return a.readInput(f, reader)
	}
	path, err := modelPath(path)
	if err != nil {
		return nil, err
	}
	if !isONNX(path) {
		return irxml.ReadFile(path, f.reading())
	}
	if err := f.checkONNX(); err != nil {
		return nil, err
	}
	return reader.file(path)
}

// readInput reads the model from standard input, which has no name to derive that of a .bin from.
func (a *app) readInput(f *modelFlags, reader onnxReader) (*ir.Model, error) {
	in := bufio.NewReaderSize(a.stdin, irxml.StartBytes)
	start, _ := in.Peek(irxml.StartBytes) // an error is that of reading the rest too
	options := f.reading()
	switch {
	case irxml.IsOther(start):
		if err := f.checkONNX(); err != nil {
			return nil, err
		}
		data, err := readAll(in, maxONNXBytes)
		if err != nil {
			return nil, err
		}
		return reader.data(data)
	case f.bin == "":
		options.NoBin = true
		return irxml.ReadFrom(in, nil, options)
	}
	bin, err := regular.Open(f.bin)
	if err != nil {
		return nil, err
	}
	defer bin.Close()
	return irxml.ReadFrom(in, bin, options)
}

// readAll reads at most limit bytes from standard input.
func readAll(in io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = faults.Errorf("standard input has more than %d bytes: name the file instead", limit)
	}
	return data, err
}

// isONNX reports whether the file at path is to be read as an ONNX model.
func isONNX(path string) bool {
	return irxml.FileIsOther(func() (io.ReadCloser, error) { return regular.Open(path) })
}

// reading returns the options for reading an IR.
func (f *modelFlags) reading() irxml.ReadOptions {
	return irxml.ReadOptions{Bin: f.bin, NoBin: f.noBin, MMap: f.mmap, Limits: irxml.Limits{XMLBytes: maxXMLBytes}}
}

// readingONNX returns the options for reading an ONNX model.
func (a *app) readingONNX(f *modelFlags) onnx.Options {
	return onnx.Options{Rules: a.registry, MMap: f.mmap}
}

// checkONNX checks the flags for an ONNX model, whose weights are in the file, or in files that it
// names.
func (f *modelFlags) checkONNX() error {
	if f.bin != "" {
		return usagef("--bin goes with an IR: an ONNX model says itself where its weights are")
	}
	return nil
}

// modelPath returns the path of the only .xml in a directory, or else of the only .onnx, and any
// other path as it is. If path is the .bin of a model, the error names its .xml.
func modelPath(path string) (string, error) {
	entries, err := os.ReadDir(path)
	if err != nil { // not a directory, or reading the model reports it
		xml := strings.TrimSuffix(path, ".bin") + ".xml"
		if _, err := os.Stat(xml); err == nil && strings.HasSuffix(path, ".bin") {
			return "", faults.Errorf("%s has the weights of a model, which is read by its .xml: %s", path, xml)
		}
		return path, nil
	}
	var names []string
	for _, ext := range modelExtensions {
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), ext) && !entry.IsDir() {
				names = append(names, entry.Name())
			}
		}
		if len(names) > 0 {
			break
		}
	}
	switch len(names) {
	case 0:
		return "", faults.Errorf("%s is a directory without a model: there is no .xml and no .onnx in it", path)
	case 1:
		return filepath.Join(path, names[0]), nil
	}
	const most = 8
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return "", usagef("%s is a directory with several models, name one of them: %s%s", path, strings.Join(names, ", "), more)
}

// modelExtensions are how the names of models end. A folder with an .xml and an .onnx is that of a
// model that was converted.
var modelExtensions = []string{".xml", ".onnx"}

// nameOf returns the name of the model at path for reports.
func nameOf(path string) string {
	if path == stdinName {
		return "<stdin>"
	}
	return path
}
