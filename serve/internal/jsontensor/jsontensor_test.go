package jsontensor_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/jsontensor"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// read reads all of text.
func read(t ir.ElementType, shape ir.Shape, text string, options jsontensor.Options) (*ir.Tensor, error) {
	s := jsonscan.New([]byte(text), 8)
	tensor, err := jsontensor.Read(s, t, shape, options)
	if err != nil {
		return nil, err
	}
	return tensor, s.End()
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		elementType ir.ElementType
		shape       ir.Shape
		text        string
		want        any
	}{
		{ir.F32, ir.Shape{2, 2}, "[1, -2.5e0 ,3e-1,0.1]", []float32{1, -2.5, 0.3, 0.1}},
		{ir.F32, ir.Shape{2, 2}, "[[1,2],[3,4]]", []float32{1, 2, 3, 4}},
		{ir.F32, ir.Shape{4}, " [ [ 1 , 2 ] ,\n[ 3 , 4 ] ] ", []float32{1, 2, 3, 4}},
		{ir.F32, ir.Shape{2}, "[[[1]],[[2]]]", []float32{1, 2}},
		{ir.F32, ir.Shape{}, "[7]", []float32{7}},
		{ir.F32, ir.Shape{0, 3}, "[]", []float32{}},
		{ir.F32, ir.Shape{2, 0}, "[[],[]]", []float32{}},
		{ir.F32, ir.Shape{2}, "[3.4028234663852886e38, 1e-46]", []float32{math.MaxFloat32, 0}},
		{ir.F64, ir.Shape{2}, "[1.7976931348623157e308,-0.1]", []float64{math.MaxFloat64, -0.1}},
		{ir.F16, ir.Shape{3}, "[1,-65504,0.1]", []uint16{0x3C00, 0xFBFF, 0x2E66}},
		{ir.BF16, ir.Shape{2}, "[1,-2]", []uint16{0x3F80, 0xC000}},
		{ir.I8, ir.Shape{3}, "[-128,127,-0]", []int8{-128, 127, 0}},
		{ir.I16, ir.Shape{2}, "[-32768,32767]", []int16{-32768, 32767}},
		{ir.I32, ir.Shape{2}, "[-2147483648,2147483647]", []int32{math.MinInt32, math.MaxInt32}},
		{ir.I64, ir.Shape{3}, "[-9223372036854775808,9223372036854775807,9007199254740993]", []int64{math.MinInt64, math.MaxInt64, 1<<53 + 1}},
		{ir.U8, ir.Shape{2}, "[0,255]", []uint8{0, 255}},
		{ir.U16, ir.Shape{2}, "[0,65535]", []uint16{0, 65535}},
		{ir.U32, ir.Shape{2}, "[0,4294967295]", []uint32{0, math.MaxUint32}},
		{ir.U64, ir.Shape{2}, "[18446744073709551615,0]", []uint64{math.MaxUint64, 0}},
		{ir.Boolean, ir.Shape{2}, "[true, false]", []bool{true, false}},
	} {
		tensor, err := read(c.elementType, c.shape, c.text, jsontensor.Options{})
		require.NoError(t, err, c.text)
		require.Equal(t, c.elementType, tensor.ElementType())
		require.Equal(t, c.shape, tensor.Shape())
		want, err := ir.TensorFrom(c.want, tensor.Len())
		require.NoError(t, err)
		require.Equal(t, string(want.Bytes()), string(tensor.Bytes()), c.text)
	}
}

func TestRead_texts(t *testing.T) {
	for text, want := range map[string][]string{
		`["a","","b\nc"]`:               {"a", "", "b\nc"},
		`[["\u00e9"],["\ud83d\ude00"]]`: {"é", "😀"},
		`["\"\\\/\b\f\r\t"]`:            {"\"\\/\b\f\r\t"},
	} {
		tensor, err := read(ir.String, ir.Shape{len(want)}, text, jsontensor.Options{})
		require.NoError(t, err, text)
		require.Equal(t, want, tensor.Strings())
	}
	tensor, err := read(ir.String, ir.Shape{2}, `[{"b64":"/w=="}, "a"]`, jsontensor.Options{Base64: true})
	require.NoError(t, err)
	require.Equal(t, []string{"\xff", "a"}, tensor.Strings())
}

func TestRead_memory(t *testing.T) {
	memory := ir.AlignedBytes(64)
	tensor, err := read(ir.U8, ir.Shape{2}, "[1,2]", jsontensor.Options{Memory: func(n int) []byte { return memory[:n] }})
	require.NoError(t, err)
	require.Same(t, &memory[0], &tensor.Bytes()[0])
}

func TestRead_errors(t *testing.T) {
	for _, c := range []struct {
		elementType ir.ElementType
		shape       ir.Shape
		text, want  string
	}{
		{ir.F32, ir.Shape{1}, "1", "expected an array, found '1'"},
		{ir.F32, ir.Shape{1}, "", "the JSON ends at byte 0: expected an array"},
		{ir.F32, ir.Shape{1e9, 1e6}, "[1,2]", "has 1000000000000000 elements, more than fit the 5 bytes"},
		{ir.F32, ir.Shape{2}, "[1,2,3]", "the data has more elements than the 2 that the shape needs"},
		{ir.F32, ir.Shape{2}, "[ 1 ]", "the data has 1 elements, the shape needs 2"},
		{ir.F32, ir.Shape{0}, "[1]", "more elements than the 0"},
		{ir.F32, ir.Shape{3}, "[[1,2],[3]]", "the array at byte 7 has 1 elements, others at this depth have 2"},
		{ir.F32, ir.Shape{2}, "[[1],2]", "at byte 5: expected an array, as elsewhere at this depth, found '2'"},
		{ir.F32, ir.Shape{2}, "[[1],[[2]]]", "expected an element, as elsewhere at this depth"},
		{ir.F32, ir.Shape{2}, "[[[1]],[2]]", "expected an array, as elsewhere at this depth"},
		{ir.F32, ir.Shape{2}, "[1,[2]]", "expected a number, found '['"},
		{ir.F32, ir.Shape{1}, "[[],[1]]", "others at this depth have 0"},
		{ir.F32, ir.Shape{1}, "[[[[[[[[[[1]]]]]]]]]]", "nested deeper than its limit"},
		{ir.F32, ir.Shape{1}, "[[1]", "the JSON ends at byte 4: expected ',' or ']'"},
		{ir.F32, ir.Shape{1}, "[1,]", "expected an element, found ']'"},
		{ir.F32, ir.Shape{2}, "[1,]", "expected a number, found ']'"},
		{ir.F32, ir.Shape{1}, "[NaN]", "expected a number"},
		{ir.F32, ir.Shape{1}, "[null]", "expected a number"},
		{ir.F32, ir.Shape{1}, `["1"]`, "expected a number"},
		{ir.F32, ir.Shape{1}, "[01]", "expected a number"},
		{ir.F32, ir.Shape{1}, "[1.]", "expected a number"},
		{ir.F32, ir.Shape{1}, "[1e]", "expected a number"},
		{ir.F32, ir.Shape{1}, "[+1]", "expected a number"},
		{ir.F32, ir.Shape{1}, "[1 2]", "expected ',' or ']', found '2'"},
		{ir.F32, ir.Shape{1}, "[1e40]", "element 0 is 1e40, which FP32 does not have"},
		{ir.F64, ir.Shape{1}, "[-1e400]", "element 0 is -1e400, which FP64 does not have"},
		{ir.F16, ir.Shape{1}, "[65520]", "which FP16 does not have"},
		{ir.BF16, ir.Shape{1}, "[3.4028234e38]", "which BF16 does not have"},
		{ir.F64, ir.Shape{1}, "[1" + strings.Repeat("0", 400) + "]", "element 0 is 1000000000000000000000000000000000000000..., which"},
		{ir.I8, ir.Shape{1}, "[128]", "element 0 is 128, which INT8 does not have"},
		{ir.I8, ir.Shape{1}, "[-129]", "which INT8 does not have"},
		{ir.I32, ir.Shape{1}, "[1.5]", "element 0 is 1.5, which INT32 does not have"},
		{ir.I32, ir.Shape{1}, "[1e2]", "which INT32 does not have"},
		{ir.I32, ir.Shape{1}, "[x]", "expected a number"},
		{ir.I64, ir.Shape{1}, "[9223372036854775808]", "which INT64 does not have"},
		{ir.U8, ir.Shape{2}, "[1,256]", "element 1 is 256, which UINT8 does not have"},
		{ir.U8, ir.Shape{1}, "[-1]", "which UINT8 does not have"},
		{ir.U64, ir.Shape{1}, "[18446744073709551616]", "which UINT64 does not have"},
		{ir.U64, ir.Shape{1}, "[100000000000000000000000]", "which UINT64 does not have"},
		{ir.Boolean, ir.Shape{1}, "[1]", "expected true or false"},
		{ir.Boolean, ir.Shape{1}, "[tru", "expected true or false"},
		{ir.String, ir.Shape{1}, "[1]", "expected a string"},
		{ir.String, ir.Shape{1}, `[{"b64":"/w=="}]`, "expected a string"},
		{ir.String, ir.Shape{1}, `["\ud800"]`, "second half of a surrogate pair"},
		{ir.String, ir.Shape{1}, "[\"\xff\"]", "expected UTF-8"},
		{ir.I4, ir.Shape{1}, "[1]", "element type i4 has no JSON"},
	} {
		_, err := read(c.elementType, c.shape, c.text, jsontensor.Options{})
		require.ErrorContains(t, err, c.want, c.text)
		require.Equal(t, oip.Malformed, oip.ErrorOf(err).Code)
	}
	for _, text := range []string{`[{}]`, `[{"b64":1}]`, `[{"b64":"%"}]`, `[{"x":""}]`, `[{"b64":"","b64":""}]`, `[{"b64":{}}]`} {
		_, err := read(ir.String, ir.Shape{1}, text, jsontensor.Options{Base64: true})
		require.ErrorContains(t, err, "the JSON is broken at byte", text)
	}
}

func TestScalar(t *testing.T) {
	s := jsonscan.New([]byte(" 5 ,"), 8)
	tensor, err := jsontensor.Scalar(s, ir.I32, jsontensor.Options{})
	require.NoError(t, err)
	require.Equal(t, []int32{5}, ir.Data[int32](tensor))
	require.Equal(t, byte(','), s.Kind())
	_, err = jsontensor.Scalar(jsonscan.New([]byte("[5]"), 8), ir.I32, jsontensor.Options{})
	require.ErrorContains(t, err, "expected one element")
}

func TestReadNested(t *testing.T) {
	for text, shape := range map[string]ir.Shape{"7": nil, "[]": {0}, "[[[1,2]],[[3,4]]]": {2, 1, 2}, "[[],[]]": {2, 0}} {
		s := jsonscan.New([]byte(text), 8)
		tensor, err := jsontensor.ReadNested(s, ir.I32, jsontensor.Options{})
		require.NoError(t, err, text)
		require.NoError(t, s.End())
		require.Equal(t, shape, tensor.Shape())
	}
	for text, want := range map[string]string{
		"[[1,2],[3]]": "has 1 elements, others at this depth have 2", "[[1],[2,3]]": "more elements than the 2", "[[1],2]": "expected an array", "[1": "the JSON ends",
		"[[[[[[[[[1]]]]]]]]]": "nested deeper", `["a"]`: "expected a number", "": "expected a number",
	} {
		_, err := jsontensor.ReadNested(jsonscan.New([]byte(text), 8), ir.I32, jsontensor.Options{})
		require.ErrorContains(t, err, want, text)
	}
}

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		elementType ir.ElementType
		data        any
		flat        string
	}{
		{ir.F32, []float32{1, 0.1, -1e-7, 1e20, 1234567}, "[1.0,0.1,-1e-07,1e+20,1234567.0]"},
		{ir.F64, []float64{0.1, math.Copysign(0, -1), 1e15, 0}, "[0.1,-0e+00,1e+15,0.0]"},
		{ir.F16, []uint16{0x3C00, 0x2E66}, "[1.0,0.099975586]"},
		{ir.BF16, []uint16{0x3F80, 0x3DCD}, "[1.0,0.100097656]"},
		{ir.I8, []int8{-128, 127}, "[-128,127]"},
		{ir.I16, []int16{-1}, "[-1]"},
		{ir.I32, []int32{math.MinInt32}, "[-2147483648]"},
		{ir.I64, []int64{math.MinInt64}, "[-9223372036854775808]"},
		{ir.U8, []uint8{255}, "[255]"},
		{ir.U16, []uint16{65535}, "[65535]"},
		{ir.U32, []uint32{math.MaxUint32}, "[4294967295]"},
		{ir.U64, []uint64{math.MaxUint64}, "[18446744073709551615]"},
		{ir.Boolean, []bool{true, false}, "[true,false]"},
	} {
		plain, err := ir.TensorFrom(c.data)
		require.NoError(t, err)
		tensor, err := ir.TensorOfBytes(c.elementType, plain.Shape(), plain.Bytes())
		require.NoError(t, err)
		b, err := jsontensor.Append([]byte("x"), tensor)
		require.NoError(t, err)
		require.Equal(t, "x"+c.flat, string(b))
		back, err := read(c.elementType, tensor.Shape(), c.flat, jsontensor.Options{})
		require.NoError(t, err)
		require.Equal(t, tensor.Bytes(), back.Bytes(), c.flat)
	}
}

func TestAppend_errors(t *testing.T) {
	for _, data := range []any{
		[]float32{0, float32(math.NaN())}, []float64{0, math.Inf(1)},
	} {
		tensor, err := ir.TensorFrom(data)
		require.NoError(t, err)
		_, err = jsontensor.Append(nil, tensor)
		require.EqualError(t, err, "element 1 is NaN, an infinity, or a text that is no UTF-8: JSON has none of these")
	}
	tensor, err := ir.StringTensor(ir.Shape{1}, []string{"\xff"})
	require.NoError(t, err)
	_, err = jsontensor.Append(nil, tensor)
	require.ErrorContains(t, err, "no UTF-8")
	packed, err := ir.NewTensor(ir.I4, 2)
	require.NoError(t, err)
	_, err = jsontensor.Append(nil, packed)
	require.Error(t, err)
}

func TestAppendNested(t *testing.T) {
	tensor, err := ir.TensorFrom([]int32{1, 2, 3, 4, 5, 6}, 2, 1, 3)
	require.NoError(t, err)
	b, err := jsontensor.AppendNested(nil, tensor)
	require.NoError(t, err)
	require.Equal(t, "[[[1,2,3]],[[4,5,6]]]", string(b))
	b, err = jsontensor.AppendRow(nil, tensor, 1)
	require.NoError(t, err)
	require.Equal(t, "[[4,5,6]]", string(b))

	texts, err := ir.StringTensor(ir.Shape{2}, []string{"a\"\n\x01\\\r\t", "\xff"})
	require.NoError(t, err)
	b, err = jsontensor.AppendNested(nil, texts)
	require.NoError(t, err)
	require.Equal(t, `["a\"\n\u0001\\\r\t",{"b64":"/w=="}]`, string(b))
	b, err = jsontensor.AppendRow(nil, texts, 0)
	require.NoError(t, err)
	require.Equal(t, `"a\"\n\u0001\\\r\t"`, string(b))
}
