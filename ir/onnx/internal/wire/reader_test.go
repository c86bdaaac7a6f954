package wire_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/onnx/internal/wire"
)

var limits = wire.Limits{Messages: 8, Depth: 4}

// all has a field of each kind.
type all struct {
	i64   int64
	i32   int32
	f     float32
	text  string
	texts []string
	bytes []byte
	lists [][]byte
	i64s  []int64
	u64s  []uint64
	i32s  []int32
	fs    []float32
	ds    []float64
	inner []all
}

func (a *all) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Int64(&a.i64)
		case 2:
			r.Int32(&a.i32)
		case 3:
			r.Float(&a.f)
		case 4:
			r.Text(&a.text)
		case 5:
			r.Texts(&a.texts)
		case 6:
			r.Bytes(&a.bytes)
		case 7:
			r.ByteLists(&a.lists)
		case 8:
			r.Int64s(&a.i64s)
		case 9:
			r.Uint64s(&a.u64s)
		case 10:
			r.Int32s(&a.i32s)
		case 11:
			r.Floats(&a.fs)
		case 12:
			r.Doubles(&a.ds)
		case 13:
			r.Message(func(r *wire.Reader) {
				a.inner = append(a.inner, all{})
				a.inner[len(a.inner)-1].read(r)
			})
		default:
			r.Skip()
		}
	}
}

func read(data string) (all, error) {
	var a all
	r := wire.NewReader([]byte(data), limits)
	a.read(r)
	return a, r.Err()
}

func TestReader(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       all
	}{
		{"nothing", "", all{}},
		{"varint", "\x08\x96\x01", all{i64: 150}},
		{"padded varint", "\x08\x96\x81\x80\x80\x00", all{i64: 150}},
		{"negative", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", all{i64: -1}},
		{"negative of 32 bits", "\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", all{i32: -2}},
		{"32 of 64 bits", "\x10\x81\x80\x80\x80\x10", all{i32: 1}},
		{"padded tag", "\x88\x00\x05", all{i64: 5}},
		{"float", "\x1d\x00\x00\x80\x3f", all{f: 1}},
		{"text", "\x22\x02hi\x22\x01x", all{text: "x"}},
		{"texts", "\x2a\x01a\x2a\x00", all{texts: []string{"a", ""}}},
		{"bytes", "\x32\x02\x00\xff", all{bytes: []byte{0, 255}}},
		{"no bytes", "\x32\x00", all{bytes: []byte{}}},
		{"lists of bytes", "\x3a\x01a\x3a\x01b", all{lists: [][]byte{{'a'}, {'b'}}}},
		{"integers one by one", "\x40\x01\x40\x02", all{i64s: []int64{1, 2}}},
		{"packed integers", "\x42\x04\x01\x96\x01\x03\x40\x04", all{i64s: []int64{1, 150, 3, 4}}},
		{"long packed integers", "\x42\x0a" + strings.Repeat("\x01", 10), all{i64s: []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}},
		{"unsigned", "\x48\x01\x4a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", all{u64s: []uint64{1, math.MaxUint64}}},
		{"packed integers of 32 bits", "\x50\x05\x52\x01\x06", all{i32s: []int32{5, 6}}},
		{"packed floats", "\x5d\x00\x00\x80\x3f\x5a\x04\x00\x00\x00\x40", all{fs: []float32{1, 2}}},
		{"packed doubles", "\x61\x00\x00\x00\x00\x00\x00\xf0\x3f\x62\x08\x00\x00\x00\x00\x00\x00\x00\x40", all{ds: []float64{1, 2}}},
		{"messages", "\x6a\x00\x6a\x02\x08\x07", all{inner: []all{{}, {i64: 7}}}},
		{"unknown fields", "\xa0\x06\x01\xa1\x06\x01\x02\x03\x04\x05\x06\x07\x08\xa2\x06\x01a\xa5\x06\x01\x02\x03\x04\x08\x09", all{i64: 9}},
		{"an unknown group", "\xa3\x06\x08\x01\xab\x06\x11\x01\x02\x03\x04\x05\x06\x07\x08\xac\x06\x22\x01a\x25\x01\x02\x03\x04\xa4\x06\x08\x02", all{i64: 2}},
		{"other wire types", "\x0a\x01a\x15\x01\x02\x03\x04\x18\x01\x20\x01\x2d\x01\x02\x03\x04\x30\x01\x38\x01\x45\x01\x02\x03\x04\x58\x01\x60\x01\x68\x01", all{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(c.data)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestReader_errors(t *testing.T) {
	for _, c := range []struct {
		name, data string
		offset     int
		message    string
	}{
		{"no value", "\x08", 1, "the message ends within a number"},
		{"no end of a number", "\x08\x80\x80", 1, "the message ends within a number"},
		{"65 bits", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 1, "a number of more than 64 bits"},
		{"eleven bytes", "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 1, "a number of more than 64 bits"},
		{"field 0", "\x08\x01\x00", 2, "field number 0 is not from 1 to 536870911"},
		{"field 2^29", "\x80\x80\x80\x80\x10", 0, "field number 536870912 is not from"},
		{"wire type 6", "\x0e", 0, "wire type 6 is unknown"},
		{"long bytes", "\x32\x05abc", 1, "a field of 5 bytes, 3 are left"},
		{"bytes of 2^63", "\x32\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1, "a field of 9223372036854775808 bytes, 0 are left"},
		{"short float", "\x1d\x00\x00", 1, "a number of 4 bytes, 2 are left"},
		{"short double", "\x61\x00\x00", 1, "a number of 8 bytes, 2 are left"},
		{"a part of a float", "\x5a\x05\x00\x00\x00\x40\x01", 6, "a number of 4 bytes, 1 are left"},
		{"a part of an integer", "\x42\x02\x01\x80", 3, "the message ends within a number"},
		{"long inner field", "\x6a\x02\x32\x05aaaaa", 3, "a field of 5 bytes, 0 are left"},
		{"depth", "\x6a\x06\x6a\x04\x6a\x02\x6a\x00", 7, "messages are nested deeper than the limit of 4"},
		{"count", strings.Repeat("\x6a\x00", 8), 15, "there are more than 8 messages, the limit"},
		{"the end of no group", "\xa4\x06", 0, "the end of a group that has no start"},
		{"no end of a group", "\xa3\x06\x08\x01", 2, "the group of field 100 has no end"},
		{"the end of another group", "\xa3\x06\xac\x06", 2, "the end of a group of field 101, the one of field 100 is open"},
		{"wire type 7 in a group", "\xa3\x06\x0f", 2, "field 1 of wire type 7 in a group is invalid"},
		{"no number in a group", "\xa3\x06\x80", 2, "the message ends within a number"},
		{"deep groups", strings.Repeat("\xa3\x06", 6), 10, "groups are nested deeper than the limit of 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(c.data)
			var syntax *wire.SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.ErrorContains(t, err, c.message)
			assert.Equal(t, c.offset, syntax.Offset)
			assert.ErrorContains(t, syntax, "byte ")
			assert.NotNil(t, syntax.Unwrap())
		})
	}
}

func TestReader_shares(t *testing.T) {
	data := []byte("\x32\x03abc")
	var a all
	a.read(wire.NewReader(data, limits))
	data[3] = 'x'
	assert.Equal(t, "axc", string(a.bytes))
	assert.Equal(t, 3, cap(a.bytes), "an append must not change the document")
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{"\x08\x96\x01", "\x6a\x02\x08\x07", "\xa3\x06\x08\x01\xa4\x06", "\x42\x04\x01\x96\x01\x03", "\x5a\x04\x00\x00\x00\x40"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		a, err := read(data)
		if err == nil {
			return
		}
		var syntax *wire.SyntaxError
		require.ErrorAs(t, err, &syntax)
		assert.LessOrEqual(t, syntax.Offset, len(data))
		assert.LessOrEqual(t, len(a.i64s), len(data))
	})
}
