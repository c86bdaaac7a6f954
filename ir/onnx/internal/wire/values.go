package wire

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Int64 consumes an integer, and sets v to it.
func (r *Reader) Int64(v *int64) {
	if r.is(varint) {
		*v = int64(r.uvarint())
	}
}

// Int32 consumes an integer, and sets v to its lower 32 bits.
func (r *Reader) Int32(v *int32) {
	if r.is(varint) {
		*v = int32(r.uvarint())
	}
}

// Float consumes a float of 32 bits, and sets v to it.
func (r *Reader) Float(v *float32) {
	if r.is(fixed32) {
		*v = math.Float32frombits(binary.LittleEndian.Uint32(r.fixed(4)))
	}
}

// Text consumes a string, and sets v to a copy of it, which need not be UTF-8.
func (r *Reader) Text(v *string) {
	if r.is(delimited) {
		*v = r.copyOf(r.bytes())
	}
}

// Texts is Text for a repeated field: it appends to v.
func (r *Reader) Texts(v *[]string) {
	if r.is(delimited) {
		*v = append(*v, r.copyOf(r.bytes()))
	}
}

// copied is the number of bytes of the strings that share an allocation, which one of them keeps.
const copied = 4 << 10

// copyOf returns a copy of text. Nearly all strings of a model are short names: a copy of many in
// one piece is much cheaper than one of each.
func (d *document) copyOf(text []byte) string {
	if len(text) > copied/8 {
		return string(text)
	}
	if d.texts.Cap()-d.texts.Len() < len(text) {
		d.texts = strings.Builder{}
		d.texts.Grow(copied)
	}
	at := d.texts.Len()
	d.texts.Write(text)
	return d.texts.String()[at:]
}

// Bytes consumes bytes, and sets v to them. They share the document.
func (r *Reader) Bytes(v *[]byte) {
	if r.is(delimited) {
		*v = r.bytes()
	}
}

// ByteLists is Bytes for a repeated field: it appends to v.
func (r *Reader) ByteLists(v *[][]byte) {
	if r.is(delimited) {
		*v = append(*v, r.bytes())
	}
}

// Message consumes a message: it calls read with a Reader of its fields.
func (r *Reader) Message(read func(*Reader)) {
	if !r.is(delimited) {
		return
	}
	at := r.at
	data := r.bytes()
	if r.messages++; r.messages > r.limits.Messages {
		r.fail(at, "there are more than %d messages, the limit", r.limits.Messages)
	} else if r.depth+1 >= r.limits.Depth {
		r.fail(at, "messages are nested deeper than the limit of %d", r.limits.Depth)
	}
	if r.err == nil {
		read(&Reader{at: r.at - len(data), end: r.at, depth: r.depth + 1, document: r.document})
	}
}

// Int64s consumes one integer or a packed list of a repeated field, and appends to v.
func (r *Reader) Int64s(v *[]int64) {
	if r.kind == varint {
		*v = append(*v, int64(r.uvarint()))
	} else if list, ok := r.packed(); ok {
		*v = slices.Grow(*v, varints(r.data[list.at:list.end]))
		for list.more() {
			*v = append(*v, int64(list.uvarint()))
		}
	}
}

// Uint64s is Int64s for unsigned integers.
func (r *Reader) Uint64s(v *[]uint64) {
	if r.kind == varint {
		*v = append(*v, r.uvarint())
	} else if list, ok := r.packed(); ok {
		*v = slices.Grow(*v, varints(r.data[list.at:list.end]))
		for list.more() {
			*v = append(*v, list.uvarint())
		}
	}
}

// Int32s is Int64s for the lower 32 bits of each integer.
func (r *Reader) Int32s(v *[]int32) {
	if r.kind == varint {
		*v = append(*v, int32(r.uvarint()))
	} else if list, ok := r.packed(); ok {
		*v = slices.Grow(*v, varints(r.data[list.at:list.end]))
		for list.more() {
			*v = append(*v, int32(list.uvarint()))
		}
	}
}

// Floats is Int64s for floats of 32 bits.
func (r *Reader) Floats(v *[]float32) {
	if r.kind == fixed32 {
		*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(r.fixed(4))))
	} else if list, ok := r.packed(); ok {
		*v = slices.Grow(*v, (list.end-list.at)/4)
		for data := list.whole(4); len(data) > 0; data = data[4:] {
			*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		for list.more() {
			*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(list.fixed(4))))
		}
	}
}

// Doubles is Int64s for floats of 64 bits.
func (r *Reader) Doubles(v *[]float64) {
	if r.kind == fixed64 {
		*v = append(*v, math.Float64frombits(binary.LittleEndian.Uint64(r.fixed(8))))
	} else if list, ok := r.packed(); ok {
		*v = slices.Grow(*v, (list.end-list.at)/8)
		for data := list.whole(8); len(data) > 0; data = data[8:] {
			*v = append(*v, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		for list.more() {
			*v = append(*v, math.Float64frombits(binary.LittleEndian.Uint64(list.fixed(8))))
		}
	}
}

// packed consumes a packed list, and returns a Reader of its elements. It skips a field of another
// wire type.
func (r *Reader) packed() (Reader, bool) {
	if !r.is(delimited) {
		return Reader{}, false
	}
	data := r.bytes()
	return Reader{at: r.at - len(data), end: r.at, document: r.document}, r.err == nil
}

// whole consumes the elements of a packed list, of n bytes each. What is left is too short for one.
func (r *Reader) whole(n int) []byte {
	data := r.data[r.at : r.end-(r.end-r.at)%n]
	r.at += len(data)
	return data
}

// more reports whether a packed list has another element.
func (r *Reader) more() bool { return r.err == nil && r.at < r.end }
