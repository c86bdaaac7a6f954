package tensors_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

func loader() *tensors.Loader { return &tensors.Loader{TensorBytes: 1 << 20, Bytes: 1 << 20} }

// numbers returns the elements of a tensor, of types without arithmetic their bits.
func numbers(t *ir.Tensor) []float64 {
	list := make([]float64, t.Len())
	value := t.Values()
	for i := range list {
		list[i] = value(i)
	}
	return list
}

// TestTensor checks that all ways to write a tensor give the same.
func TestTensor(t *testing.T) {
	for _, c := range []struct {
		dataType proto.DataType
		want     ir.ElementType
		raw      []byte
		typed    proto.Tensor
		numbers  []float64
	}{
		{proto.Float, ir.F32, []byte{0, 0, 128, 63, 0, 0, 0, 192}, proto.Tensor{Floats: []float32{1, -2}}, []float64{1, -2}},
		{proto.Double, ir.F64, []byte{0, 0, 0, 0, 0, 0, 240, 63, 0, 0, 0, 0, 0, 0, 0, 64}, proto.Tensor{Doubles: []float64{1, 2}}, []float64{1, 2}},
		{proto.Int64, ir.I64, []byte{1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}, proto.Tensor{Int64s: []int64{1, -1}}, []float64{1, -1}},
		{proto.Uint64, ir.U64, []byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, proto.Tensor{Uint64s: []uint64{1, 2}}, []float64{1, 2}},
		{proto.Uint32, ir.U32, []byte{1, 0, 0, 0, 255, 255, 255, 255}, proto.Tensor{Uint64s: []uint64{1, 1<<32 - 1}}, []float64{1, 1<<32 - 1}},
		{proto.Int32, ir.I32, []byte{1, 0, 0, 0, 255, 255, 255, 255}, proto.Tensor{Int32s: []int32{1, -1}}, []float64{1, -1}},
		{proto.Int16, ir.I16, []byte{1, 0, 255, 255}, proto.Tensor{Int32s: []int32{1, -1}}, []float64{1, -1}},
		{proto.Uint16, ir.U16, []byte{1, 0, 255, 255}, proto.Tensor{Int32s: []int32{1, 65535}}, []float64{1, 65535}},
		{proto.Int8, ir.I8, []byte{1, 255}, proto.Tensor{Int32s: []int32{1, -1}}, []float64{1, -1}},
		{proto.Uint8, ir.U8, []byte{1, 255}, proto.Tensor{Int32s: []int32{1, 255}}, []float64{1, 255}},
		{proto.Bool, ir.Boolean, []byte{0, 7}, proto.Tensor{Int32s: []int32{0, -1}}, []float64{0, 1}},
		{proto.Float16, ir.F16, []byte{0, 0x3c, 0, 0xc0}, proto.Tensor{Int32s: []int32{0x3c00, 0xc000}}, []float64{1, -2}},
		{proto.BFloat16, ir.BF16, []byte{0x80, 0x3f, 0, 0xc0}, proto.Tensor{Int32s: []int32{0x3f80, 0xc000}}, []float64{1, -2}},
		{proto.Float8E4M3FN, ir.F8E4M3, []byte{0x38, 0xb8}, proto.Tensor{Int32s: []int32{0x38, 0xb8}}, []float64{0x38, 0xb8}},
		{proto.Float8E5M2, ir.F8E5M2, []byte{0x3c, 0xbc}, proto.Tensor{Int32s: []int32{0x3c, 0xbc}}, []float64{0x3c, 0xbc}},
		{proto.Float8E8M0, ir.F8E8M0, []byte{0x7f, 0xff}, proto.Tensor{Int32s: []int32{0x7f, 0xff}}, []float64{0x7f, 0xff}},
		{proto.Uint4, ir.U4, []byte{0xf1}, proto.Tensor{Int32s: []int32{0xf1}}, []float64{1, 15}},
		{proto.Int4, ir.I4, []byte{0xf1}, proto.Tensor{Int32s: []int32{0xf1}}, []float64{1, 15}},
		{proto.Float4E2M1, ir.F4E2M1, []byte{0xf1}, proto.Tensor{Int32s: []int32{0xf1}}, []float64{1, 15}},
		{proto.Uint2, ir.U2, []byte{0x0d}, proto.Tensor{Int32s: []int32{0x0d}}, []float64{1, 3}},
	} {
		t.Run(c.dataType.String(), func(t *testing.T) {
			e, err := tensors.ElementType(c.dataType)
			require.NoError(t, err)
			assert.Equal(t, c.want, e)
			for _, p := range []proto.Tensor{{Raw: c.raw}, c.typed} {
				p.DataType, p.Dims = c.dataType, []int64{2}
				got, err := loader().Tensor(&p)
				require.NoError(t, err)
				assert.Equal(t, c.want, got.ElementType())
				assert.Equal(t, c.numbers, numbers(got))
			}
			// Any address, also in a mapping
			for offset := range 8 {
				raw := append(make([]byte, offset, offset+len(c.raw)), c.raw...)[offset:]
				l := loader()
				l.Mapped = offset%2 == 0
				got, err := l.Tensor(&proto.Tensor{DataType: c.dataType, Dims: []int64{2}, Raw: raw})
				require.NoError(t, err)
				assert.Equal(t, c.numbers, numbers(got))
			}
		})
	}
}

// TestTensor_narrow has types that OpenVINO does not have, in all encodings. Those of i4 are bits.
func TestTensor_narrow(t *testing.T) {
	for _, c := range []struct {
		dataType proto.DataType
		raw      []byte
		typed    []int32
		holder   ir.ElementType
		want     []float64
	}{
		{proto.Float8E4M3FNUZ, []byte{0x7f, 0x40, 0x81}, []int32{0x7f, 0x40, 0x81}, ir.F16, []float64{240, 1, -math.Ldexp(1, -10)}},
		{proto.Float8E5M2FNUZ, []byte{0x7f, 0x40, 0xff}, []int32{0x7f, 0x40, 0xff}, ir.F16, []float64{57344, 1, -57344}},
		{proto.Float6E2M3, []byte{0b11_011111, 0b0010_1000, 0}, []int32{31, 35, 2}, ir.F16, []float64{7.5, -0.375, 0.25}},
		{proto.Float6E3M2, []byte{0b00_011111, 0b0001_1011, 0}, []int32{31, 44, 1}, ir.F16, []float64{28, -1, 0.0625}},
		{proto.Int2, []byte{0b00_11_10_01}, []int32{0b00_11_10_01}, ir.I4, []float64{1, 14, 15}},
	} {
		t.Run(c.dataType.String(), func(t *testing.T) {
			e, err := tensors.ElementType(c.dataType)
			require.NoError(t, err)
			assert.Equal(t, c.holder, e)
			external := loader()
			external.File = func(string) ([]byte, error) { return c.raw, nil }
			at := []proto.Entry{{Key: "location", Value: "data"}}
			for _, p := range []proto.Tensor{{Raw: c.raw}, {Int32s: c.typed}, {External: true, Location: at}} {
				p.DataType, p.Dims = c.dataType, []int64{3}
				got, err := external.Tensor(&p)
				require.NoError(t, err)
				assert.Equal(t, c.holder, got.ElementType())
				assert.Equal(t, c.want, numbers(got))
			}
		})
	}
	limited := loader()
	limited.Bytes = 5
	_, err := limited.Tensor(&proto.Tensor{DataType: proto.Float8E4M3FNUZ, Dims: []int64{3}, Raw: []byte{1, 2, 3}})
	assert.ErrorContains(t, err, "more than the limit")
}

func TestTensor_strings(t *testing.T) {
	got, err := loader().Tensor(&proto.Tensor{DataType: proto.String, Dims: []int64{2}, Strings: [][]byte{[]byte("a"), {}}})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", ""}, got.Strings())
}

// TestTensor_shares checks that elements are shared with the file, and copied late if they are
// large and not aligned.
func TestTensor_shares(t *testing.T) {
	data := ir.AlignedBytes(1<<17 + 8)
	load := func(from int) *ir.Tensor {
		got, err := loader().Tensor(&proto.Tensor{DataType: proto.Float, Dims: []int64{1 << 15}, Raw: data[from : from+1<<17]})
		require.NoError(t, err)
		return got
	}
	shared, late := load(4), load(1)
	assert.Nil(t, shared.Deferred())
	assert.NotNil(t, late.Deferred())
	data[7], data[6] = 0x3f, 0x80
	assert.Equal(t, 1.0, numbers(shared)[0])
	data[4], data[3] = 0xc0, 0x00
	assert.Equal(t, -2.0, numbers(late)[0])
}

func TestTensor_errors(t *testing.T) {
	raw := []byte{0, 0, 0, 0, 0, 0, 0, 0}
	for _, c := range []struct {
		name, message string
		tensor        proto.Tensor
	}{
		{"no type", "element type 0 is not one of ONNX", proto.Tensor{}},
		{"unknown type", "element type 99 is not one of ONNX", proto.Tensor{DataType: 99}},
		{"negative type", "element type -1 is not one of ONNX", proto.Tensor{DataType: -1}},
		{"complex", "type COMPLEX64 is not supported", proto.Tensor{DataType: proto.Complex64}},
		{"two bits", "INT2[5] needs 2 numbers, int32_data has 1", proto.Tensor{DataType: proto.Int2, Dims: []int64{5}, Int32s: []int32{1}}},
		{"eight bits", "FLOAT8E4M3FNUZ[2] needs 2 bytes, the data has 8", proto.Tensor{DataType: proto.Float8E4M3FNUZ, Dims: []int64{2}, Raw: raw}},
		{"narrow external", "the location is missing", proto.Tensor{DataType: proto.Float8E4M3FNUZ, Dims: []int64{2}, External: true}},
		{"rank", "65", proto.Tensor{DataType: proto.Float, Dims: make([]int64, 65)}},
		{"negative length", "dims[1] is -1", proto.Tensor{DataType: proto.Float, Dims: []int64{2, -1}}},
		{"overflow", "more elements than fit", proto.Tensor{DataType: proto.Float, Dims: []int64{1 << 32, 1 << 32}, Raw: raw}},
		{"large", "more than the limit of 1048576", proto.Tensor{DataType: proto.Float, Dims: []int64{1 << 20}, Raw: raw}},
		{"segment", "segment", proto.Tensor{DataType: proto.Float, Segment: true}},
		{"short", "f32[3] needs 12 bytes, the data has 8", proto.Tensor{DataType: proto.Float, Dims: []int64{3}, Raw: raw}},
		{"long", "f32[1] needs 4 bytes, the data has 8", proto.Tensor{DataType: proto.Float, Dims: []int64{1}, Raw: raw}},
		{"raw strings", "raw_data has strings", proto.Tensor{DataType: proto.String, Raw: raw}},
		{"none", "f32[3] needs 3 numbers, float_data has 0", proto.Tensor{DataType: proto.Float, Dims: []int64{3}}},
		{"other field", "i8[2] needs 2 numbers, int32_data has 0", proto.Tensor{DataType: proto.Int8, Dims: []int64{2}, Int64s: []int64{1, 2}}},
		{"packed", "u4[3] needs 2 numbers, int32_data has 3", proto.Tensor{DataType: proto.Uint4, Dims: []int64{3}, Int32s: []int32{1, 2, 3}}},
		{"strings", "string[1] needs 1 numbers, string_data has 0", proto.Tensor{DataType: proto.String, Dims: []int64{1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := loader().Tensor(&c.tensor)
			assert.ErrorContains(t, err, c.message)
		})
	}
}

func TestUnsupportedTypeError(t *testing.T) {
	_, err := tensors.ElementType(proto.Complex128)
	var u *tensors.UnsupportedTypeError
	require.ErrorAs(t, err, &u)
	assert.True(t, u.Unsupported())
	assert.Equal(t, "type COMPLEX128", u.Missing())
}

func TestTensor_memory(t *testing.T) {
	l := loader()
	l.Bytes = 10
	p := &proto.Tensor{DataType: proto.Float, Dims: []int64{2}, Floats: []float32{1, 2}}
	_, err := l.Tensor(p)
	require.NoError(t, err)
	_, err = l.Tensor(p)
	assert.ErrorContains(t, err, "tensors need 6 bytes more than the limit")
	raw := bytes.Repeat([]byte{1}, 64)
	for _, n := range []int64{2, 1 << 14} {
		_, err = l.Tensor(&proto.Tensor{DataType: proto.Float, Dims: []int64{n}, Raw: append(raw, make([]byte, 4*n)...)[1:][:4*n]})
		if err == nil {
			continue // the allocator has aligned it
		}
		assert.ErrorContains(t, err, "bytes more than the limit")
	}
}

func TestTensor_empty(t *testing.T) {
	for _, p := range []proto.Tensor{{DataType: proto.Float, Dims: []int64{0, 3}}, {DataType: proto.Float, Dims: []int64{0}, Raw: []byte{}}} {
		got, err := loader().Tensor(&p)
		require.NoError(t, err)
		assert.Zero(t, got.Len())
	}
}

func TestTensor_external(t *testing.T) {
	l := loader()
	missing := errors.New("no such file")
	l.File = func(location string) ([]byte, error) {
		if location != "w" {
			return nil, missing
		}
		return []byte{1, 2, 3, 4, 5, 6, 7, 8}, nil
	}
	load := func(namesAndValues ...string) ([]float64, error) {
		p := &proto.Tensor{DataType: proto.Uint8, Dims: []int64{2}, External: true}
		for i := 0; i < len(namesAndValues); i += 2 {
			p.Location = append(p.Location, proto.Entry{Key: namesAndValues[i], Value: namesAndValues[i+1]})
		}
		got, err := l.Tensor(p)
		if err != nil {
			return nil, err
		}
		return numbers(got), nil
	}
	got, err := load("location", "w", "offset", "3", "length", "2", "checksum", "no", "other", "x")
	require.NoError(t, err)
	assert.Equal(t, []float64{4, 5}, got)
	got, err = load("location", "w", "offset", "6")
	require.NoError(t, err)
	assert.Equal(t, []float64{7, 8}, got)

	for _, c := range []struct {
		message string
		entries []string
	}{
		{"the location is missing", []string{"offset", "0"}},
		{"no such file", []string{"location", "v"}},
		{`offset "-1" is not a number of bytes`, []string{"location", "w", "offset", "-1"}},
		{`length "0x2" is not a number of bytes`, []string{"location", "w", "length", "0x2"}},
		{"needs 2 bytes, the data has 8", []string{"location", "w"}},
		{"needs 2 bytes, the data has 3", []string{"location", "w", "length", "3"}},
		{`offset 9, size 0: outside of "w", which has 8 bytes`, []string{"location", "w", "offset", "9"}},
		{`offset 7, size 2: outside of "w"`, []string{"location", "w", "offset", "7", "length", "2"}},
	} {
		_, err := load(c.entries...)
		assert.ErrorContains(t, err, c.message)
	}
	_, err = load("location", "v")
	assert.ErrorIs(t, err, missing)
	_, err = load("location", "w", "offset", "9")
	var short *tensors.ShortFileError
	require.ErrorAs(t, err, &short)
	assert.Equal(t, uint64(8), short.FileBytes)
	_, err = l.Tensor(&proto.Tensor{DataType: proto.String, External: true, Location: []proto.Entry{{Key: "location", Value: "w"}}})
	assert.ErrorContains(t, err, "external data cannot have strings")
	l.File = nil
	_, err = load("location", "w")
	assert.ErrorContains(t, err, `the file "w" is needed`)
}

func TestSparse(t *testing.T) {
	values := &proto.Tensor{DataType: proto.Float, Dims: []int64{2}, Floats: []float32{1, 2}}
	indices := func(dims []int64, list ...int64) *proto.Tensor {
		return &proto.Tensor{DataType: proto.Int64, Dims: dims, Int64s: list}
	}
	for _, s := range []proto.SparseTensor{
		{Values: values, Indices: indices([]int64{2}, 5, 1), Dims: []int64{2, 3}},
		{Values: values, Indices: indices([]int64{2, 2}, 1, 2, 0, 1), Dims: []int64{2, 3}},
	} {
		got, err := loader().Sparse(&s)
		require.NoError(t, err)
		assert.Equal(t, []float64{0, 2, 0, 0, 0, 1}, numbers(got))
		assert.Equal(t, ir.Shape{2, 3}, got.Shape())
	}
	for _, c := range []struct {
		message string
		sparse  proto.SparseTensor
	}{
		{"no values or no indices", proto.SparseTensor{Values: values}},
		{"values: element type 0", proto.SparseTensor{Values: &proto.Tensor{}, Indices: indices(nil)}},
		{"indices: i64[] needs 1 numbers", proto.SparseTensor{Values: values, Indices: indices(nil)}},
		{"more than the limit", proto.SparseTensor{Values: values, Indices: indices([]int64{2}, 0, 1), Dims: []int64{1 << 31, 1 << 20}}},
		{"expected one axis, and i64", proto.SparseTensor{Values: values, Indices: values, Dims: []int64{2}}},
		{"a sparse tensor of u4", proto.SparseTensor{Values: &proto.Tensor{DataType: proto.Uint4, Dims: []int64{0}}, Indices: indices([]int64{0}), Dims: []int64{2}}},
		{"is 3, expected 0 to 2", proto.SparseTensor{Values: values, Indices: indices([]int64{2}, 0, 3), Dims: []int64{3}}},
		{"is -1, expected 0 to 2", proto.SparseTensor{Values: values, Indices: indices([]int64{2}, 0, -1), Dims: []int64{3}}},
		{"indices are [1] for 2 values", proto.SparseTensor{Values: values, Indices: indices([]int64{1}, 0), Dims: []int64{3}}},
		{"indices are [1,2], expected [2,1]", proto.SparseTensor{Values: values, Indices: indices([]int64{1, 2}, 0, 1), Dims: []int64{3}}},
	} {
		_, err := loader().Sparse(&c.sparse)
		assert.ErrorContains(t, err, c.message)
	}
	l := loader()
	l.Bytes = 30
	_, err := l.Sparse(&proto.SparseTensor{Values: values, Indices: indices([]int64{2}, 5, 1), Dims: []int64{2, 3}})
	assert.ErrorContains(t, err, "bytes more than the limit")
}
