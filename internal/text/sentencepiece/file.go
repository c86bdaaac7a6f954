package sentencepiece

import (
	"bytes"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/ragged"
)

// file is what Parse needs of a ModelProto, as sentencepiece_model.proto defines it.
type file struct {
	pieces ragged.Strings
	scores []float32
	types  []pieceType

	kind                 kind
	byteFallback, suffix bool
	bos, eos, pad        []byte
	unknownSurface       []byte

	normalizer, denormalizer normalizerSpec
}

// normalizerSpec is a NormalizerSpec.
type normalizerSpec struct {
	charsMap                                []byte
	dummyPrefix, removeSpaces, escapeSpaces bool
}

func (n *normalizerSpec) normalizer(suffix bool, kept charsmap.Matcher) (*charsmap.Normalizer, error) {
	m, err := charsmap.Parse(n.charsMap)
	if err != nil {
		return nil, err
	}
	return charsmap.New(m, charsmap.Options{
		AddDummyPrefix: n.dummyPrefix, WhitespaceAsSuffix: suffix,
		RemoveExtraWhitespaces: n.removeSpaces, EscapeWhitespaces: n.escapeSpaces, Kept: kept,
	}), nil
}

// field is a field of a message. A number is in value, and the bytes of a string or message in
// data.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64
	data   []byte
	raw    []byte // all of it, with the number and the kind
}

// The fields that are read, by their kinds. Fields of other kinds are skipped, as if they were
// unknown.
func (f *field) isBytes(number protowire.Number) bool {
	return f.number == number && f.kind == protowire.BytesType
}

func (f *field) isNumber(number protowire.Number) bool {
	return f.number == number && f.kind == protowire.VarintType
}

// fields calls read for each field of a message.
func fields(name string, message []byte, read func(f *field) error) error {
	for at := 0; at < len(message); {
		var f field
		var n int
		rest := message[at:]
		f.number, f.kind, n = protowire.ConsumeTag(rest)
		if n < 0 {
			return faults.Errorf("byte %d of %s is no field of a message", at, name)
		}
		rest = rest[n:]
		size := 0
		switch f.kind {
		case protowire.VarintType:
			f.value, size = protowire.ConsumeVarint(rest)
		case protowire.Fixed32Type:
			var v uint32
			v, size = protowire.ConsumeFixed32(rest)
			f.value = uint64(v)
		case protowire.BytesType:
			f.data, size = protowire.ConsumeBytes(rest)
		default:
			size = protowire.ConsumeFieldValue(f.number, f.kind, rest)
		}
		if size < 0 {
			return faults.Errorf("field %d at byte %d of %s is damaged", f.number, at, name)
		}
		f.raw = message[at : at+n+size]
		if err := read(&f); err != nil {
			return err
		}
		at += n + size
	}
	return nil
}

// readFile reads a ModelProto. A message that is given twice is merged.
func readFile(data []byte, stop parallel.Stop) (*file, error) {
	if len(data) > math.MaxInt32 {
		return nil, faults.Errorf("the model has %d bytes, expected at most %d", len(data), math.MaxInt32)
	}
	f := &file{
		kind: unigramModel, bos: []byte("<s>"), eos: []byte("</s>"), pad: []byte("<pad>"), unknownSurface: []byte(" \u2047 "),
		normalizer:   normalizerSpec{dummyPrefix: true, removeSpaces: true, escapeSpaces: true},
		denormalizer: normalizerSpec{dummyPrefix: true, removeSpaces: true, escapeSpaces: true},
	}
	count, size := 0, 0
	meter := stop.Meter()
	err := fields("the model", data, func(field *field) error {
		if meter.Spent(16) {
			return parallel.ErrStopped
		}
		switch {
		case field.isBytes(1):
			count++
			size += len(field.data)
		case field.isBytes(2):
			return f.readTrainer(field.data)
		case field.isBytes(3):
			return f.normalizer.read("normalizer_spec", field.data)
		case field.isBytes(5):
			return f.denormalizer.read("denormalizer_spec", field.data)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	f.pieces = ragged.Strings{Begins: make([]int32, 0, count), Ends: make([]int32, 0, count), Chars: make([]byte, 0, size)}
	f.scores, f.types = make([]float32, 0, count), make([]pieceType, 0, count)
	err = fields("the model", data, func(field *field) error {
		if meter.Spent(32) {
			return parallel.ErrStopped
		}
		if field.isBytes(1) {
			return f.readPiece(field.data)
		}
		return nil
	})
	return f, err
}

func (f *file) readPiece(message []byte) error {
	var text []byte
	score, kind := float32(0), normal
	err := fields("a piece", message, func(field *field) error {
		switch {
		case field.isBytes(1):
			text = field.data
		case field.number == 2 && field.kind == protowire.Fixed32Type:
			score = math.Float32frombits(uint32(field.value))
		case field.isNumber(3):
			if v := int32(field.value); v >= int32(normal) && v <= int32(byteValue) {
				kind = pieceType(v)
			}
		}
		return nil
	})
	f.pieces.Append(text)
	f.scores, f.types = append(f.scores, score), append(f.types, kind)
	return err
}

func (f *file) readTrainer(message []byte) error {
	return fields("trainer_spec", message, func(field *field) error {
		switch {
		case field.isNumber(3):
			if v := kind(field.value); v >= unigramModel && v <= charModel {
				f.kind = v
			}
		case field.isNumber(24):
			f.suffix = field.value != 0
		case field.isNumber(35):
			f.byteFallback = field.value != 0
		case field.isBytes(44):
			f.unknownSurface = bytes.Clone(field.data)
		case field.isBytes(46):
			f.bos = named(field.data, "<s>")
		case field.isBytes(47):
			f.eos = named(field.data, "</s>")
		case field.isBytes(48):
			f.pad = named(field.data, "<pad>")
		}
		return nil
	})
}

// named returns a copy of the text of a piece, or name if it is empty.
func named(text []byte, name string) []byte {
	if len(text) == 0 {
		return []byte(name)
	}
	return bytes.Clone(text)
}

func (n *normalizerSpec) read(name string, message []byte) error {
	return fields(name, message, func(field *field) error {
		switch {
		case field.isBytes(2):
			n.charsMap = field.data
		case field.isNumber(3):
			n.dummyPrefix = field.value != 0
		case field.isNumber(4):
			n.removeSpaces = field.value != 0
		case field.isNumber(5):
			n.escapeSpaces = field.value != 0
		}
		return nil
	})
}
