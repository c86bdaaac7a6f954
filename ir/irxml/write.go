package irxml

import (
	"context"
	"io"
	"runtime/debug"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// WriteOptions specifies how a model is written. The zero value writes the version of the model
// and keeps what the ports declare.
type WriteOptions struct {
	// Shapes is the result of infer.Propagate for the model: the ports then declare the inferred
	// types and shapes. If it is nil, they declare what they declare in the model. Interval
	// dimensions become -1, as the format has no others.
	Shapes *infer.Shapes
	// Align means that each Constant starts at a multiple of its element size, as in files of
	// OpenVINO after 2026.4, so that readers need not copy it. Without it, the .bin has no gaps, as
	// in files of earlier versions.
	Align bool
	// CompressToFP16 means that Constants of f32 and f64 are written as f16, each followed by a
	// Convert to its type, as by OpenVINO's save_model. Values beyond the range of f16 become its
	// largest. A Constant stays as it is if an element would change by more than 1, or 75 % of them
	// by more than 0.1 % or beyond the range; if it has one element, by more than 0.01 %. So do
	// Constants that a shape, or the like, is computed from, those whose rt_info says so, and all
	// of a model that is quantized.
	CompressToFP16 bool
	// MaxBinBytes bounds the .bin; 0 means no bound. The ranges of Constants in a file can overlap,
	// and are written one after the other, so that a small file can ask for a large one.
	MaxBinBytes uint64
	// Version is the IR version that is written: 0 for that of the model, or 10 for OpenVINO 2020.1
	// to 2021.4, which read no other. They have opset1 to opset7. A layer of a newer opset is
	// written as what does the same in these, if there is something. It is an error about the layer
	// if there is nothing, or if a shape is not static or an element type newer. rt_info and
	// output_names are not written. It needs Shapes.
	//
	// In version 10, outputs of i64, u64 and u32 are read as i32, other outputs as f32 unless they
	// are i32, and inputs of f16 as f32.
	Version int
}

// Write writes m as an IR: the document to xml, and the bytes of the Constants to bin. The text is
// that of OpenVINO's serializer, and depends only on m and opts. Attributes keep their text. m
// is not changed, except that the pages of a mapped .bin are released: see ir.Model.Discard.
//
// Layers that no output depends on are not written. Ids are numbered anew: the Parameters come
// first and the Results last, in the order of the model; the other layers stay in document order,
// as far as each comes after the layers that it reads. What the reader added to the graph, such as
// the Subtract of a pre-process element, is written as layers.
//
// The bytes of Constants are copied from the model in pieces. Equal Constants share a range of the
// .bin.
//
// # Errors
//
// An error about a layer is a *ir.LayerError, such as for a Constant without a value because the
// model was read without its .bin. Other errors are those of xml, bin and ctx. Both streams are
// incomplete then.
func Write(ctx context.Context, xml, bin io.Writer, m *ir.Model, opts WriteOptions) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for constants that are mapped
	defer func() {
		if r := recover(); r != nil {
			err = faults.OfPanic(" in the writer", r)
		}
	}()
	if m.Version != 10 && m.Version != 11 {
		return faults.Errorf("the model has IR version %d; versions 10 and 11 are supported", m.Version)
	}
	switch opts.Version {
	case 0:
	case 10:
		if m, err = asV10(m, opts.Shapes); err != nil {
			return err
		}
	case m.Version:
	default:
		return faults.Errorf("a model of IR version %d cannot be written as version %d", m.Version, opts.Version)
	}
	w := &writer{ctx: ctx, xml: xml, opts: opts, version: m.Version, model: m, bin: newBinWriter(ctx, bin, &opts)}
	if opts.CompressToFP16 {
		if w.stored, err = compressed(ctx, m); err != nil {
			return err
		}
	}
	w.bin.count(m)
	w.text("<?xml version=\"1.0\"?>\n<net")
	w.attr("name", m.Name)
	w.number("version", w.version)
	w.content()
	w.graph(m, opts.Shapes).write()
	w.close("net")
	w.flush()
	return w.err
}

// writer writes one document. After the first error, it only keeps the error.
type writer struct {
	ctx     context.Context
	xml     io.Writer
	opts    WriteOptions
	version int
	model   *ir.Model // the whole model, which has the storage of the Constants
	bin     *binWriter
	stored  map[*ir.Layer]storage // how Constants are written

	buf   []byte // text that is not in xml yet
	depth int    // number of tabs
	layer *ir.Layer
	err   error
}

// xmlBlock is the length of the text that is written at once.
const xmlBlock = 64 << 10

// fail keeps an error about the current layer, unless there is one already.
func (w *writer) fail(format string, args ...any) {
	if w.err != nil {
		return
	}
	if w.err = faults.Errorf(format, args...); w.layer != nil {
		w.err = &ir.LayerError{Layer: w.layer, Err: w.err}
	}
}

// flush writes the text in buf.
func (w *writer) flush() {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.err == nil {
		_, w.err = w.xml.Write(w.buf)
	}
	w.buf = w.buf[:0]
}
