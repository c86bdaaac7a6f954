package npy

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/ir"
)

// read returns the tensor in a file of testdata.
func read(t *testing.T, name string) *ir.Tensor {
	t.Helper()
	a, err := ReadFile(filepath.Join("testdata", name+".npy"))
	require.NoError(t, err)
	tensor, err := a.Tensor(ir.Dynamic, nil)
	require.NoError(t, err)
	return tensor
}

// checkCount checks a file of shape [2,3].
func checkCount[T ir.Element](t *testing.T, name string, et ir.ElementType, want ...T) {
	t.Helper()
	tensor := read(t, name)
	require.Equal(t, et, tensor.ElementType(), name)
	assert.Equal(t, ir.Shape{2, 3}, tensor.Shape(), name)
	assert.Equal(t, want, ir.Data[T](tensor), name)
}

func TestReadFile(t *testing.T) {
	checkCount(t, "bool", ir.Boolean, false, true, true, true, true, true)
	checkCount[int8](t, "int8", ir.I8, 0, 1, 2, 3, 4, 5)
	checkCount[int16](t, "int16", ir.I16, 0, 1, 2, 3, 4, 5)
	checkCount[int32](t, "int32", ir.I32, 0, 1, 2, 3, 4, 5)
	checkCount[int64](t, "int64", ir.I64, 0, 1, 2, 3, 4, 5)
	checkCount[uint8](t, "uint8", ir.U8, 0, 1, 2, 3, 4, 5)
	checkCount[uint16](t, "uint16", ir.U16, 0, 1, 2, 3, 4, 5)
	checkCount[uint32](t, "uint32", ir.U32, 0, 1, 2, 3, 4, 5)
	checkCount[uint64](t, "uint64", ir.U64, 0, 1, 2, 3, 4, 5)
	checkCount[uint16](t, "float16", ir.F16, 0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500)
	checkCount[float32](t, "float32", ir.F32, 0, 1, 2, 3, 4, 5)
	checkCount[float64](t, "float64", ir.F64, 0, 1, 2, 3, 4, 5)
	checkCount[complex64](t, "complex64", ir.Complex64, 0, 1, 2, 3, 4, 5)
	checkCount[complex128](t, "complex128", ir.Complex128, 0, 1, 2, 3, 4, 5)
	checkCount[int32](t, "bigendian", ir.I32, 0, 1, 2, 3, 4, 5)
	assert.Equal(t, []complex64{1 + 2i}, ir.Data[complex64](read(t, "bigendian_complex")))
	assert.Equal(t, []uint8{0, 1, 2}, ir.Data[uint8](read(t, "version2")))
	assert.Equal(t, []uint8{0, 1, 2}, ir.Data[uint8](read(t, "version3")))
}

func TestReadFile_shapes(t *testing.T) {
	scalar := read(t, "scalar")
	assert.Empty(t, scalar.Shape())
	assert.Equal(t, []float32{1.5}, ir.Data[float32](scalar))
	assert.Equal(t, ir.Shape{3}, read(t, "vector").Shape())
	empty := read(t, "empty")
	assert.Equal(t, ir.Shape{2, 0, 3}, empty.Shape())
	assert.Empty(t, empty.Bytes())

	fortran := read(t, "fortran")
	assert.Equal(t, ir.Shape{2, 3, 4}, fortran.Shape())
	for i, v := range ir.Data[int16](fortran) {
		assert.Equal(t, int16(i), v)
	}
}

func TestReadFile_strings(t *testing.T) {
	a := read(t, "strings")
	assert.Equal(t, ir.Shape{2, 2}, a.Shape())
	assert.Equal(t, []string{"", "a", "héllo", "世😀"}, a.Strings())
	assert.Equal(t, []string{"one"}, read(t, "string_scalar").Strings())
	assert.Equal(t, []string{"a", "bc"}, read(t, "bigendian_strings").Strings())
	assert.Equal(t, []string{"a", "bc", "d", "e", "f", "gh"}, read(t, "fortran_strings").Strings())
	empty := read(t, "string_empty")
	assert.Equal(t, ir.String, empty.ElementType())
	assert.Equal(t, ir.Shape{0, 2}, empty.Shape())
}

func TestReadFile_refused(t *testing.T) {
	for _, name := range []string{"bytes", "structured", "datetime", "object"} {
		_, err := ReadFile(filepath.Join("testdata", name+".npy"))
		assert.Error(t, err, name)
	}
	_, err := ReadFile("testdata")
	assert.ErrorContains(t, err, "not a regular file")
	_, err = ReadFile("testdata/none.npy")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// file returns a file of version 1 with the given dictionary and data.
func file(dict, data string) []byte {
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
	return append(append(b, dict...), data...)
}

// fileOfVersion2 returns a file of version 2 with the given dictionary and data.
func fileOfVersion2(dict, data string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x02\x00"), uint32(len(dict)))
	return append(append(b, dict...), data...)
}

func TestParse_hostile(t *testing.T) {
	const f4 = "{'descr': '<f4', 'fortran_order': False, 'shape': "
	// If int has 32 bits, large lengths fail earlier, with another error.
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{
		"empty":           {nil, "not an .npy file"},
		"magic":           {[]byte("PK\x03\x04aaaaaaaaaaaa"), "not an .npy file"},
		"version 4":       {[]byte("\x93NUMPY\x04\x00\x02\x00\x00\x00{}"), "version 4.0 of the .npy format is not supported"},
		"version 1.1":     {[]byte("\x93NUMPY\x01\x01\x02\x00{}  "), "version 1.1 of the .npy format is not supported"},
		"header length":   {[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), "header of 4294967295 bytes"},
		"long header":     {fileOfVersion2(f4+"(1,), }"+strings.Repeat(" ", 1<<16), "0123"), "is longer than 65536"},
		"key missing":     {file("{'descr': '<f4', 'shape': (1,), }\n", ""), "not that of an array"},
		"negative":        {file(f4+"(-1,), }\n", ""), "not that of an array"},
		"length":          {file(f4+"(99999999999999999999,), }\n", ""), "value out of range"},
		"product":         {file(f4+"(4611686018427387908, 4), }\n", "0123456789abcdef"), ""},
		"bytes":           {file(f4+"(4611686018427387904,), }\n", ""), ""},
		"short":           {file(f4+"(3,), }\n", "0123"), "needs 12 bytes, the file has 4"},
		"long":            {file(f4+"(1,), }\n", "01234567"), "needs 4 bytes, the file has 8"},
		"rank":            {file(f4+"("+strings.Repeat("1, ", 65)+"), }\n", "0123"), "65 axes"},
		"size of strings": {file("{'descr': '<U999999999', 'fortran_order': False, 'shape': (999999999999,), }\n", ""), ""},
		"no size":         {file("{'descr': '<U0', 'fortran_order': False, 'shape': (9999999999,), }\n", ""), ""},
		"float of 16":     {file("{'descr': '<f16', 'fortran_order': False, 'shape': (0,), }\n", ""), "no element type corresponds"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tt.file)
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestArray_Tensor(t *testing.T) {
	a, err := ReadFile("testdata/uint16.npy")
	require.NoError(t, err)
	bf16, err := a.Tensor(ir.BF16, nil)
	require.NoError(t, err)
	assert.Equal(t, ir.BF16, bf16.ElementType())
	_, err = a.Tensor(ir.F32, nil)
	assert.EqualError(t, err, "an array of <u2 does not hold f32")

	a, err = ReadFile("testdata/uint8.npy")
	require.NoError(t, err)
	f8, err := a.Tensor(ir.F8E4M3, nil)
	require.NoError(t, err)
	assert.Equal(t, ir.Shape{2, 3}, f8.Shape())
	u4, err := a.Tensor(ir.U4, ir.Shape{11})
	require.NoError(t, err)
	assert.Equal(t, uint8(0), u4.Packed(1))
	assert.Equal(t, uint8(1), u4.Packed(2))
	_, err = a.Tensor(ir.U4, ir.Shape{13})
	assert.EqualError(t, err, "u4[13] needs 7 bytes, the array |u1[2,3] has 6")
	_, err = a.Tensor(ir.Boolean, nil)
	assert.Error(t, err)
}

func TestWrite(t *testing.T) {
	names := strings.Fields("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 " +
		"complex64 complex128 scalar vector empty strings string_scalar")
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join("testdata", name+".npy"))
		require.NoError(t, err)
		var got bytes.Buffer
		require.NoError(t, Write(&got, read(t, name)))
		// The padding of the header differs between NumPy's versions.
		assert.Equal(t, unpadded(t, want), unpadded(t, got.Bytes()), name)
		assert.Zero(t, (got.Len()-len(unpadded(t, got.Bytes())[1]))%64, name)
	}
}

// unpadded returns the dictionary without its padding, and the data.
func unpadded(t *testing.T, file []byte) [2]string {
	dict, data, err := split(file)
	require.NoError(t, err)
	return [2]string{strings.TrimRight(string(dict), " \n"), string(data)}
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	u4, err := ir.TensorOfBytes(ir.U4, ir.Shape{3}, []byte{0x21, 0x03})
	require.NoError(t, err)
	require.NoError(t, WriteFile(path, u4))
	a, err := ReadFile(path)
	require.NoError(t, err)
	back, err := a.Tensor(ir.U4, ir.Shape{3})
	require.NoError(t, err)
	assert.Equal(t, u4.Bytes(), back.Bytes())

	bad, err := ir.StringTensor(ir.Shape{1}, []string{"\xff"})
	require.NoError(t, err)
	assert.ErrorContains(t, WriteFile(path, bad), "is not UTF-8")
	long := make([]string, 1<<20)
	long[0] = strings.Repeat("x", 1<<20)
	big, err := ir.StringTensor(ir.Shape{1 << 20}, long)
	require.NoError(t, err)
	assert.ErrorContains(t, WriteFile(path, big), "need more than")
}

// FuzzParse checks that Parse neither panics nor returns more than a file holds, and that Write
// writes what Parse has read.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.npy")
	require.NoError(f, err)
	for _, path := range files {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(data)
	}
	for dict := range goodHeaders {
		f.Add(file(dict, data24))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a *Array
		var err error
		limits := limittest.Limits{Bytes: 1<<20 + 64*uint64(len(data)), Time: 5 * time.Second}
		limittest.Run(t, limits, func(context.Context) { a, err = Parse(bytes.Clone(data)) })
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(a.Data), len(data))
		require.LessOrEqual(t, len(a.Shape), maxRank)
		tensor, err := a.Tensor(ir.Dynamic, nil)
		require.NoError(t, err)
		var out bytes.Buffer
		if Write(&out, tensor) != nil {
			return
		}
		again, err := Parse(out.Bytes())
		require.NoError(t, err)
		require.Equal(t, a.Data, again.Data)
		require.Equal(t, a.Strings, again.Strings)
		require.Equal(t, a.Shape.String(), again.Shape.String())
	})
}

// TestReadFileLimit reads a file that is longer than a limit, and one whose length is far above the
// memory of any machine: it is made of a hole.
func TestReadFileLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	tensor, err := ir.NewTensor(ir.F32, 10)
	require.NoError(t, err)
	require.NoError(t, WriteFile(path, tensor))
	_, err = ReadFileLimit(path, 64+128)
	require.NoError(t, err)
	_, err = ReadFileLimit(path, 100)
	assert.ErrorContains(t, err, path+": the file has 168 bytes: it is longer than the limit of 100 bytes")

	if err := os.Truncate(path, 1<<42); err != nil {
		t.Skipf("NOT TESTED: no file of 4 TiB can be made: %v", err)
	}
	_, err = ReadFile(path)
	assert.ErrorContains(t, err, "longer than the limit")
}
