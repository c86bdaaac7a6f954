package irxml

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/internal/xmlscan"
	"github.com/vinoir/vinoir/ir"
)

// ReadFile reads the IR at path, the XML file, and its .bin. A .bin that cannot be read is an
// error only if a Constant needs it or if ReadOptions.Bin is set.
//
// # Errors
//
// An error in a file is a *ir.FormatError. Other errors come from the system.
func ReadFile(path string, opts ReadOptions) (*ir.Model, error) {
	opts.Limits = opts.Limits.withDefaults()
	xml, err := readRegular(path, opts.Limits.XMLBytes)
	if err != nil {
		return nil, explained(path, err)
	}
	w := &weights{path: opts.Bin, size: -1}
	if !opts.NoBin {
		if opts.Bin == "" {
			w.path = binPath(path, filepath.Base(path))
		}
		if err := w.open(opts); err != nil && opts.Bin != "" {
			return nil, err
		}
	}
	m, err := read(xml, w, opts)
	if err != nil {
		w.close()
		return nil, faults.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// ReadFS is ReadFile for a file in fsys, such as a file embedded in the program.
// ReadOptions.MMap has no effect.
func ReadFS(fsys fs.FS, name string, opts ReadOptions) (*ir.Model, error) {
	opts.Limits = opts.Limits.withDefaults()
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	xml, err := regular.Read(file, opts.Limits.XMLBytes)
	if err != nil {
		return nil, asTooLong(faults.Errorf("%s: %w", name, err))
	}
	w := &weights{path: opts.Bin, size: -1}
	if !opts.NoBin {
		if opts.Bin == "" {
			w.path = binPath(name, path.Base(name))
		}
		if err := w.openFS(fsys, opts); err != nil && opts.Bin != "" {
			return nil, err
		}
	}
	m, err := read(xml, w, opts)
	if err != nil {
		return nil, faults.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Read reads an IR in memory. The model's Constants share bin, which must not be changed. If
// bin is nil, there is no .bin.
func Read(xml, bin []byte, opts ReadOptions) (*ir.Model, error) {
	opts.Limits = opts.Limits.withDefaults()
	if int64(len(xml)) > opts.Limits.XMLBytes {
		return nil, tooLong("the XML", opts.Limits.XMLBytes)
	}
	if int64(len(bin)) > opts.Limits.BinBytes {
		return nil, tooLong("the .bin", opts.Limits.BinBytes)
	}
	w := &weights{size: -1}
	if bin != nil && !opts.NoBin {
		w.data, w.size = bin, int64(len(bin))
	}
	return read(xml, w, opts)
}

// ReadFrom reads an IR from two streams. If bin is nil, there is no .bin.
func ReadFrom(xml, bin io.Reader, opts ReadOptions) (*ir.Model, error) {
	limits := opts.Limits.withDefaults()
	text, err := readStream(xml, "the XML", limits.XMLBytes)
	if err != nil && len(text) > 0 {
		return nil, explainedHead("the XML", text, err)
	} else if err != nil {
		return nil, err
	}
	var data []byte
	if bin != nil && !opts.NoBin {
		if data, err = readStream(bin, "the .bin", limits.BinBytes); err != nil {
			return nil, err
		}
	}
	return Read(text, data, opts)
}

// readStream reads r to its end. what names the stream in errors. If r is longer than the limit,
// readStream returns its start too.
func readStream(r io.Reader, what string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(&io.LimitedReader{R: r, N: limit})
	if err != nil {
		return nil, faults.Errorf("%s: %w", what, err)
	}
	if int64(len(data)) == limit {
		if n, _ := io.ReadFull(r, make([]byte, 1)); n > 0 {
			return data, tooLong(what, limit)
		}
	}
	return data, nil
}

func tooLong(what string, limit int64) error {
	return &ir.FormatError{Err: faults.Errorf("%s is longer than the limit of %d bytes", what, limit)}
}

// binPath returns the path of the .bin for the XML at path. base is the last element of path.
func binPath(path, base string) string {
	ext := filepath.Ext(base)
	return path[:len(path)-len(ext)] + ".bin"
}

// readRegular reads the regular file at path.
func readRegular(path string, limit int64) ([]byte, error) {
	data, err := regular.ReadFile(path, limit)
	return data, asTooLong(err)
}

// explained returns the error of reading the XML at path, with what is at path if it is known: a
// directory, or a file of another kind, since only those are very long.
func explained(path string, err error) error {
	var long *regular.TooLongError
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		return faults.Errorf("%s is a directory, not a regular file: a model is read by its .xml", path)
	} else if !errors.As(err, &long) {
		return err
	}
	file, openErr := regular.Open(path)
	if openErr != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, foreignBytes)
	n, _ := io.ReadFull(file, head)
	return explainedHead(path, head[:n], err)
}

// explainedHead returns err or, if the file called name starts like one of another kind, an error
// that says so.
func explainedHead(name string, head []byte, err error) error {
	if foreign := foreignText(head); foreign != nil {
		return &ir.FormatError{Err: faults.Errorf("%s: %w", name, foreign)}
	}
	return err
}

// asTooLong returns err as an *ir.FormatError if it is about the length of a file.
func asTooLong(err error) error {
	var long *regular.TooLongError
	if errors.As(err, &long) {
		return &ir.FormatError{Err: err}
	}
	return err
}

// read reads the XML and the constants. The model takes over the mapping of w. A panic, which
// would be a bug in this package, becomes an error.
func read(xml []byte, w *weights, opts ReadOptions) (m *ir.Model, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for the mapping
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, faults.OfPanic(" in the reader", r)
		}
	}()
	w.init(opts)
	r := &reader{
		scan:    xmlscan.New(xml, xmlscan.Limits{Depth: opts.Limits.Depth, Attrs: opts.Limits.Attributes}),
		limits:  opts.Limits,
		weights: w,
	}
	if m, err = r.document(); err != nil {
		if foreign := foreignText(xml); foreign != nil {
			return nil, &ir.FormatError{Err: foreign}
		}
		if r.rootSeen || bytes.HasPrefix(bytes.TrimLeft(xml, "\xef\xbb\xbf\xff\xfe \t\r\n\x00"), []byte("<")) {
			return nil, asFormatError(err)
		}
		return nil, &ir.FormatError{Err: errors.New("not an XML file: a model is read by its .xml")}
	}
	for _, n := range r.scan.Notes() {
		m.Notes = append(m.Notes, ir.Note{Line: n.Line, Text: n.Text})
	}
	m.BinSize, m.BinEnd = w.size, w.end
	if w.mapping != nil {
		m.SetStorage(w.mapping)
	}
	return m, nil
}
