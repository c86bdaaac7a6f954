package irxml

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// constant writes the data element of a Constant, and its bytes to the .bin; as f16 if halved is
// set. Other attributes than those of a Constant stay.
func (g *graphWriter) constant(layer *ir.Layer, halved bool) {
	value := layer.Constant
	if value == nil {
		g.fail("the Constant has no value: the model was read without its .bin")
		return
	}
	at, err := g.bin.write(layer, halved)
	if err != nil {
		if g.err == nil {
			g.err = &ir.LayerError{Layer: layer, Err: err}
		}
		return
	}
	g.writer.model.Discard(value)
	t := value.ElementType()
	if halved {
		t = ir.F16
	}
	declared, shape, _, err := constantType(layer)
	same := err == nil && declared == value.ElementType() && slices.Equal(shape, value.Shape())
	g.start("data")
	if !same {
		g.attr("element_type", t.String())
		g.attr("shape", strings.ReplaceAll(strings.Trim(value.Shape().String(), "[]"), ",", ", "))
	}
	placed := false
	place := func() {
		if !placed {
			g.attr("offset", strconv.FormatUint(at.Offset, 10))
			g.attr("size", strconv.FormatUint(at.Size, 10))
		}
		placed = true
	}
	for _, a := range layer.Data {
		switch a.Name {
		case "offset", "size":
			place()
		case "value":
			// The text was the elements; it is in the .bin now.
		case "element_type":
			switch {
			case same && halved:
				g.attr(a.Name, t.String())
			case same:
				g.attr(a.Name, a.Value)
			}
		case "shape":
			if same {
				g.attr(a.Name, a.Value)
			}
		default:
			g.anyAttr(a.Name, a.Value)
		}
	}
	place()
	g.empty()
}

// binWriter writes the bytes of Constants, equal ones once.
type binWriter struct {
	ctx   context.Context
	out   io.Writer // nil if there is no .bin
	align bool
	end   uint64 // number of bytes in out
	limit uint64 // WriteOptions.MaxBinBytes
	// counts has the number of Constants of each size in memory. Only those of a size that others
	// have are compared.
	counts map[int]int
	seed   maphash.Seed
	// samples has the first Constant of each content of a few bytes, and stored those of which the
	// whole content had to be hashed.
	samples map[contentKey]*storedConst
	stored  map[contentKey]*storedConst
	block   []byte
}

// contentKey is the size and a hash of the content of a Constant in memory, and what determines the
// bytes in the file.
type contentKey struct {
	size   int
	hash   uint64
	halved ir.ElementType // the type of elements that are written as f16, else Dynamic
	width  int            // the size of elements on a big-endian machine
}

// storedConst is a Constant in the .bin.
type storedConst struct {
	data   []byte
	offset uint64
	hashed bool // it is in stored
}

func newBinWriter(ctx context.Context, out io.Writer, opts *WriteOptions) *binWriter {
	return &binWriter{
		ctx: ctx, out: out, align: opts.Align, limit: opts.MaxBinBytes, counts: make(map[int]int), seed: maphash.MakeSeed(),
		samples: make(map[contentKey]*storedConst), stored: make(map[contentKey]*storedConst),
	}
}

// count counts the sizes of the Constants of m.
func (b *binWriter) count(m *ir.Model) {
	for layer := range m.AllLayers() {
		if layer.Type == "Constant" && layer.Constant != nil {
			b.counts[constSize(layer)]++
		}
	}
}

// constSize returns the size of a Constant in the .bin if it is not written as f16.
func constSize(layer *ir.Layer) int {
	t := layer.Constant
	if t.ElementType() == ir.String {
		size := stringWord * (2 + t.Len())
		for _, s := range t.Strings() {
			size += len(s)
		}
		return size
	}
	if t.Len() == 0 {
		return len(noElements(layer))
	}
	// A tensor has a size, since it was made.
	size, _ := ir.ByteSize(t.ElementType(), t.Shape())
	return size
}

// noElements returns the bytes of a Constant without elements: one byte, as in OpenVINO, unless the
// file has none either.
func noElements(layer *ir.Layer) []byte {
	if size, ok := ir.AttributesOf(layer).Lookup("size"); ok && size == "0" {
		return nil
	}
	return []byte{0}
}

// write writes the value of a Constant, unless an equal one was written, and returns its place.
func (b *binWriter) write(layer *ir.Layer, halved bool) (ir.ConstRange, error) {
	t := layer.Constant
	data := t.Unaligned()
	width := t.ElementType().Size()
	switch {
	case t.ElementType() == ir.String:
		var err error
		if data, err = packedStrings(t.Strings()); err != nil {
			return ir.ConstRange{}, err
		}
		width = 1
	case t.Len() == 0:
		data, width = noElements(layer), 1
	case data == nil:
		data = t.Bytes()
	}
	at := ir.ConstRange{Size: uint64(len(data))}
	key := contentKey{size: len(data)}
	if bigEndian {
		key.width = width
	}
	if halved {
		at.Size = uint64(ir.F16.Size()) * uint64(t.Len())
		key.halved = t.ElementType()
	}
	stored, found := b.find(data, key)
	if !found {
		if b.out == nil {
			return at, errors.New("the Constant needs a .bin, and none is written")
		}
		var err error
		if halved {
			err = b.appendHalves(t)
		} else {
			err = b.append(data, width)
		}
		if err != nil {
			return at, err
		}
		stored.offset = b.end - at.Size
	}
	at.Offset = stored.offset
	return at, nil
}

// sampleBytes is the length of the start and the end of a Constant that are hashed first.
const sampleBytes = 2 << 10

// find returns the Constant that has the bytes data, or a new one, and whether it was written
// already. key has no hash yet.
func (b *binWriter) find(data []byte, key contentKey) (*storedConst, bool) {
	fresh := &storedConst{data: data}
	if b.counts[len(data)] < 2 {
		return fresh, false
	}
	key.hash = maphash.Bytes(b.seed, data[:min(len(data), sampleBytes)])
	if len(data) > sampleBytes {
		key.hash ^= maphash.Bytes(b.seed, data[max(len(data)-sampleBytes, sampleBytes):]) << 1
	}
	first := b.samples[key]
	if first == nil {
		b.samples[key] = fresh
		return fresh, false
	}
	if len(data) == 0 || &first.data[0] == &data[0] {
		return first, true
	}
	if !first.hashed {
		first.hashed = true
		b.stored[b.contentKey(key, first.data)] = first
	}
	key = b.contentKey(key, data)
	switch equal := b.stored[key]; {
	case equal == nil:
		fresh.hashed = true
		b.stored[key] = fresh
	case string(equal.data) == string(data):
		return equal, true
	}
	return fresh, false
}

// contentKey returns the key of all bytes of data. sample is the key of the sample.
func (b *binWriter) contentKey(sample contentKey, data []byte) contentKey {
	sample.hash = maphash.Bytes(b.seed, data)
	return sample
}

// writeBytes is the number of bytes that are written at once.
const writeBytes = 4 << 20

// pad aligns the end for elements of width bytes.
func (b *binWriter) pad(width int) error {
	over := b.end % uint64(max(width, 1))
	if !b.align || over == 0 {
		return nil
	}
	return b.put(make([]byte, uint64(width)-over))
}

// appendHalves appends the elements of t, of f32 or f64, as f16.
func (b *binWriter) appendHalves(t *ir.Tensor) error {
	if err := b.pad(ir.F16.Size()); err != nil {
		return err
	}
	halves, err := ir.NewTensor(ir.F16, min(halfBlock, t.Len()))
	if err != nil {
		return err
	}
	return blocks(t, func(singles []float32, doubles []float64) error {
		toHalves(ir.Data[uint16](halves), singles, doubles)
		part := halves.Bytes()[:ir.F16.Size()*(len(singles)+len(doubles))]
		if bigEndian {
			part = swapBytes(part, ir.F16.Size())
		}
		return b.put(part)
	})
}

// append appends data, elements of width bytes.
func (b *binWriter) append(data []byte, width int) error {
	if err := b.pad(width); err != nil {
		return err
	}
	for len(data) > 0 {
		part := data[:min(len(data), writeBytes)]
		data = data[len(part):]
		if bigEndian && width > 1 {
			b.block = append(b.block[:0], part...)
			part = swapBytes(b.block, width)
		}
		if err := b.put(part); err != nil {
			return err
		}
	}
	return nil
}

// put writes bytes.
func (b *binWriter) put(data []byte) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.limit > 0 && b.end+uint64(len(data)) > b.limit {
		return faults.Errorf("the .bin would have %d bytes or more, the limit is %d (MaxBinBytes)", b.end+uint64(len(data)), b.limit)
	}
	n, err := b.out.Write(data)
	b.end += uint64(n)
	return err
}

// stringWord is the size of the numbers before strings.
const stringWord = 4

// packedStrings returns strings as they are in a .bin: see weights.strings.
func packedStrings(list []string) ([]byte, error) {
	total := 0
	for _, s := range list {
		total += len(s)
	}
	if len(list) > math.MaxInt32 || total > math.MaxInt32 {
		return nil, faults.Errorf("%d strings of %d bytes cannot be written: the format has 32-bit offsets", len(list), total)
	}
	data := make([]byte, 0, stringWord*(2+len(list))+total)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(list)))
	data = binary.LittleEndian.AppendUint32(data, 0)
	end := 0
	for _, s := range list {
		end += len(s)
		data = binary.LittleEndian.AppendUint32(data, uint32(end))
	}
	for _, s := range list {
		data = append(data, s...)
	}
	return data, nil
}
