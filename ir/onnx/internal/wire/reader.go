package wire

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// Limits bounds what a document may contain.
type Limits struct {
	// Messages is the largest number of messages, the outermost included.
	Messages int
	// Depth is the largest number of messages, or of groups, that are in each other.
	Depth int
}

// SyntaxError reports a mistake in the encoding.
type SyntaxError struct {
	// Offset is the position of the mistake in the file, in bytes.
	Offset int
	Err    error
}

func (e *SyntaxError) Error() string { return faults.Errorf("byte %d: %w", e.Offset, e.Err).Error() }

func (e *SyntaxError) Unwrap() error { return e.Err }

// Reader reads the fields of one message, one after the other:
//
//	for r.Next() {
//		switch r.Field {
//		case 1:
//			r.Int64(&m.Version)
//		case 2:
//			r.Text(&m.Name)
//		default:
//			r.Skip()
//		}
//	}
//
// After Next, exactly one method must be called that consumes the field. Each of them skips a field
// of another wire type than its own. After an error, Next returns false in the readers of all
// messages of the document.
type Reader struct {
	// Field is the number of the current field.
	Field int

	kind    wireType
	at, end int // what is left of the message, as positions in document.data
	depth   int
	*document
}

// document is what the readers of all messages of a document share.
type document struct {
	data     []byte
	limits   Limits
	messages int
	texts    strings.Builder // the strings that Text and Texts copied last, one after the other
	err      error
}

// wireType says how the value of a field is encoded.
type wireType uint8

const (
	varint wireType = iota
	fixed64
	delimited
	groupStart
	groupEnd
	fixed32
)

// NewReader returns a Reader of the message that data is.
func NewReader(data []byte, limits Limits) *Reader {
	return &Reader{end: len(data), document: &document{data: data, limits: limits, messages: 1}}
}

// Err returns the first error of the document, a *SyntaxError.
func (r *Reader) Err() error { return r.err }

// Offset returns the position of the reader in the document, in bytes.
func (r *Reader) Offset() int { return r.at }

// fail keeps an error at a position, unless there is one, and ends the message.
func (r *Reader) fail(at int, format string, args ...any) {
	if r.err == nil {
		r.err = &SyntaxError{Offset: at, Err: faults.Errorf(format, args...)}
	}
}

// Next reads the tag of the next field. It returns false at the end of the message.
func (r *Reader) Next() bool {
	if r.err != nil || r.at >= r.end {
		return false
	}
	at := r.at
	tag := r.uvarint()
	if r.err != nil {
		return false
	}
	number := tag >> 3
	if r.Field, r.kind = int(number), wireType(tag&7); number == 0 || number > 1<<29-1 {
		r.fail(at, "field number %d is not from 1 to %d", number, 1<<29-1)
	} else if r.kind == groupEnd {
		r.fail(at, "the end of a group that has no start")
	} else if r.kind > fixed32 {
		r.fail(at, "wire type %d is unknown", r.kind)
	}
	return r.err == nil
}

// Skip consumes a field of any wire type.
func (r *Reader) Skip() { r.skip(r.depth) }

// skip consumes a field that is in depth messages and groups.
func (r *Reader) skip(depth int) {
	switch r.kind {
	case varint:
		r.uvarint()
	case fixed64:
		r.fixed(8)
	case fixed32:
		r.fixed(4)
	case delimited:
		r.bytes()
	case groupStart:
		r.group(depth)
	}
}

// group consumes the rest of a group, and all groups in it, without recursion.
func (r *Reader) group(depth int) {
	start, open := r.at, []int{r.Field}
	for len(open) > 0 && r.err == nil {
		if depth+len(open) > r.limits.Depth {
			r.fail(r.at, "groups are nested deeper than the limit of %d", r.limits.Depth)
			return
		}
		at := r.at
		if at >= r.end {
			r.fail(start, "the group of field %d has no end", open[0])
			return
		}
		tag := r.uvarint()
		field, kind := int(tag>>3&(1<<29-1)), wireType(tag&7)
		switch {
		case r.err != nil:
			return
		case kind == groupEnd && field != open[len(open)-1]:
			r.fail(at, "the end of a group of field %d, the one of field %d is open", field, open[len(open)-1])
		case kind == groupEnd:
			open = open[:len(open)-1]
		case kind == groupStart:
			open = append(open, field)
		case kind > fixed32 || field == 0:
			r.fail(at, "field %d of wire type %d in a group is invalid", field, kind)
		default:
			r.kind = kind
			r.skip(depth)
		}
	}
}

// is reports whether the current field has a wire type, and skips it if not.
func (r *Reader) is(kind wireType) bool {
	if r.kind == kind {
		return true
	}
	r.Skip()
	return false
}

// uvarint consumes a varint.
func (r *Reader) uvarint() uint64 {
	if r.at < r.end && r.data[r.at] < 0x80 {
		r.at++
		return uint64(r.data[r.at-1])
	}
	x, n := binary.Uvarint(r.data[r.at:r.end])
	switch {
	case n == 0:
		r.fail(r.at, "the message ends within a number")
	case n < 0:
		r.fail(r.at, "a number of more than 64 bits")
	default:
		r.at += n
	}
	return x
}

// fixed consumes n bytes.
func (r *Reader) fixed(n int) []byte {
	if r.end-r.at < n {
		r.fail(r.at, "a number of %d bytes, %d are left", n, r.end-r.at)
		return make([]byte, n)
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

// bytes consumes a length and as many bytes. The result shares the document.
func (r *Reader) bytes() []byte {
	at := r.at
	n := r.uvarint()
	if r.err != nil {
		return nil
	}
	if n > uint64(r.end-r.at) {
		r.fail(at, "a field of %d bytes, %d are left", n, r.end-r.at)
		return nil
	}
	start := r.at
	r.at += int(n)
	return r.data[start:r.at:r.at]
}

// varints returns how many varints data has, without one that it ends within.
func varints(data []byte) int {
	n := 0
	for len(data) >= 8 {
		n += bits.OnesCount64(^binary.LittleEndian.Uint64(data) & 0x8080808080808080)
		data = data[8:]
	}
	for _, b := range data {
		if b < 0x80 {
			n++
		}
	}
	return n
}
