package grpcapi

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// The wire types of the lowest three bits of a tag.
const (
	varint    = uint64(protowire.VarintType)
	fixed64   = uint64(protowire.Fixed64Type)
	delimited = uint64(protowire.BytesType)
	fixed32   = uint64(protowire.Fixed32Type)
)

// fields reads the fields of one message, one after the other:
//
//	f := fields{data: message}
//	for f.next() {
//		switch f.tag {
//		case 1<<3 | delimited:
//			name = f.text()
//		}
//	}
//	return f.err
//
// Fields that are not asked for are skipped, and so are those with another wire type.
type fields struct {
	data []byte
	// tag is the number of the field and its wire type, as on the wire.
	tag uint64
	// value is that of a number, bytes that of a delimited field.
	value uint64
	bytes []byte
	err   error
}

// next reads a field. It returns false at the end of the message and after an error.
func (f *fields) next() bool {
	if f.err != nil || len(f.data) == 0 {
		return false
	}
	number, kind, n := protowire.ConsumeTag(f.data)
	if n < 0 {
		f.fail(n)
		return false
	}
	f.tag, f.data = protowire.EncodeTag(number, kind), f.data[n:]
	switch kind {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(f.data)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(f.data)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(f.data)
		f.value = uint64(v)
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(f.data)
	default:
		n = protowire.ConsumeFieldValue(number, kind, f.data)
	}
	if n < 0 {
		f.fail(n)
		return false
	}
	f.data = f.data[n:]
	return true
}

// fail keeps the error that a negative length of protowire stands for.
func (f *fields) fail(n int) {
	f.err = oip.Errorf(oip.Malformed, "the message is broken: %v", protowire.ParseError(n))
}

// text returns a delimited field as a string, which must be UTF-8.
func (f *fields) text() string {
	if !utf8.Valid(f.bytes) {
		f.err = oip.Errorf(oip.Malformed, "field %d is not UTF-8: %.100q", f.tag>>3, f.bytes)
		return ""
	}
	return string(f.bytes)
}
