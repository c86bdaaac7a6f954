package irxml_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// constXML returns a model of one Constant and a Result.
func constXML(data string) []byte {
	return fmt.Appendf(nil, `<net name="c" version="11"><layers>
<layer id="0" name="c" type="Const" version="opset1"><data %s/><output><port id="0" precision="FP32"/></output></layer>
<layer id="1" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>`, data)
}

func readConst(data string, bin []byte, opts irxml.ReadOptions) (*ir.Tensor, error) {
	m, err := irxml.Read(constXML(data), bin, opts)
	if err != nil {
		return nil, err
	}
	return m.Layers[0].Constant, nil
}

// hostIsBigEndian reports whether the byte order of this machine differs from that of a .bin.
var hostIsBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// littleEndian returns the elements of a tensor as in a .bin.
func littleEndian(tensor *ir.Tensor) []byte {
	b := bytes.Clone(tensor.Bytes())
	if width := tensor.ElementType().Size(); hostIsBigEndian && width > 1 {
		for i := 0; i < len(b); i += width {
			slices.Reverse(b[i : i+width])
		}
	}
	return b
}

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		data  string
		bin   string
		shape string
		bytes string
	}{
		{`element_type="u8" shape="2" offset="0" size="2"`, "ab", "[2]", "ab"},
		{`element_type="u8" shape="2" offset="1" size="2"`, "xab", "[2]", "ab"},
		{`element_type="u8" shape="2" offset="1" size="3"`, "xabcd", "[2]", "ab"},
		{`element_type="u8" shape="" offset="0" size="1"`, "a", "[]", "a"},
		{`element_type="u8" shape="2," offset="0" size="2"`, "ab", "[2]", "ab"},
		{`element_type="u8" shape=" 2 , 1" offset="0" size="2"`, "ab", "[2,1]", "ab"},
		{`element_type="u8" shape="2.5" offset="0" size="2"`, "ab", "[2]", "ab"},
		{`element_type="u8" shape="2;2" offset="0" size="2"`, "ab", "[2]", "ab"},
		{`element_type="u8" shape="0" offset="0" size="1"`, "a", "[0]", ""},
		{`element_type="u8" shape="3,0" offset="0" size="0"`, "", "[3,0]", ""},
		{`element_type="boolean" shape="4" offset="0" size="4"`, "\x00\x01\xb1\x02", "[4]", "\x00\x01\x01\x01"},
		{`element_type="f32" shape="1" offset="1" size="4"`, "xabcd", "[1]", "abcd"},
		{`element_type="i64" shape="1" offset="3" size="8"`, "xxxabcdefgh", "[1]", "abcdefgh"},
		{`element_type="bf16" shape="1" offset="1" size="2"`, "xab", "[1]", "ab"},
		{`element_type="u1" shape="9" offset="0" size="2"`, "ab", "[9]", "ab"},
		{`element_type="u2" shape="5" offset="0" size="2"`, "ab", "[5]", "ab"},
		{`element_type="u3" shape="9" offset="0" size="6"`, "abcdef", "[9]", "abcdef"},
		{`element_type="u4" shape="3" offset="0" size="2"`, "ab", "[3]", "ab"},
		{`element_type="u6" shape="5" offset="0" size="6"`, "abcdef", "[5]", "abcdef"},
		{`element_type="nf4" shape="1" offset="1" size="1"`, "xa", "[1]", "a"},
		{`element_type="f8e8m0" shape="1" offset="0" size="1"`, "a", "[1]", "a"},
		{`element_type="u8" shape="4" value="wxyz" offset="0" size="4"`, "", "[4]", "wxyz"},
		{`element_type="u8" shape="2" value="wxyz"`, "", "[2]", "wx"},
	} {
		for _, mapped := range []bool{false, true} {
			tensor, err := readConst(c.data, []byte(c.bin), irxml.ReadOptions{MMap: mapped})
			require.NoError(t, err, c.data)
			assert.Equal(t, c.shape, tensor.Shape().String(), c.data)
			assert.Equal(t, c.bytes, string(littleEndian(tensor)), c.data)
		}
	}
}

func TestConstantsRefused(t *testing.T) {
	const huge = "4611686018427387904"
	for _, c := range []struct{ data, bin, message string }{
		{``, "ab", "the Constant has no data element"},
		{`shape="2" offset="0" size="2"`, "ab", "attribute element_type is missing"},
		{`element_type="u8" offset="0" size="2"`, "ab", "attribute shape is missing"},
		{`element_type="u8" shape="2" size="2"`, "ab", "attribute offset is missing"},
		{`element_type="u8" shape="2" offset="0"`, "ab", "attribute size is missing"},
		{`element_type="FP32" shape="2" offset="0" size="8"`, "ab", `attribute element_type: "FP32" is not an element type`},
		{`element_type="dynamic" shape="2" offset="0" size="2"`, "ab", "a Constant cannot be dynamic"},
		{`element_type="undefined" shape="2" offset="0" size="2"`, "ab", "a Constant cannot be dynamic"},
		{`element_type="u8" shape="[2]" offset="0" size="2"`, "ab", `"[2]" is not a 64-bit whole number`},
		{`element_type="u8" shape="?" offset="0" size="2"`, "ab", `"?" is not a 64-bit whole number`},
		{`element_type="u8" shape=",2" offset="0" size="2"`, "ab", "is not a 64-bit whole number"},
		{`element_type="u8" shape=",," offset="0" size="2"`, "ab", "is not a 64-bit whole number"},
		{`element_type="u8" shape="-2" offset="0" size="2"`, "ab", "attribute shape: dimension 0 is -2, expected 0 to "},
		{`element_type="u8" shape="2" offset="1" size="2"`, "ab", "the Constant is at offset 1, size 2: outside of the .bin, which has 2 bytes"},
		{`element_type="u8" shape="0" offset="5" size="1"`, "ab", "the Constant is at offset 5, size 1: outside of the .bin, which has 2 bytes"},
		{`element_type="u8" shape="2" offset="9223372036854775807" size="9223372036854775807"`, "ab", "outside of the .bin"},
		{`element_type="u8" shape="2" offset="9223372036854775808" size="2"`, "ab", "attribute offset: "},
		{`element_type="f32" shape="2" offset="0" size="4"`, "abcdefgh", "f32[2] needs 8 bytes, the Constant has 4 (offset 0)"},
		{`element_type="u4" shape="3" offset="0" size="1"`, "ab", "u4[3] needs 2 bytes, the Constant has 1 (offset 0)"},
		{`element_type="u8" shape="` + huge + `,4" offset="0" size="2"`, "ab", "attribute shape: "},
		{`element_type="f32" shape="4294967296,4294967296" offset="0" size="2"`, "ab", "attribute shape: "},
		{`element_type="u8" shape="4" value="wx"`, "", "attribute value: u8[4] needs 4 bytes, the text has 2"},
		{`element_type="string" shape="4" value="wx"`, "", "attribute value: a string Constant must be in the .bin"},
	} {
		_, err := readConst(c.data, []byte(c.bin), irxml.ReadOptions{})
		require.Error(t, err, c.data)
		if c.message == "attribute shape: " {
			// The width of an int determines which check fails.
			continue
		}
		assert.Contains(t, err.Error(), c.message, c.data)
		assert.Contains(t, err.Error(), `line 2: layer 0 "c" (Constant, opset1): `, c.data)
	}
	_, err := irxml.Read([]byte(string(constXML(`element_type="u8" shape="2" offset="0" size="2"`))), nil, irxml.ReadOptions{})
	assert.ErrorContains(t, err, "the Constant needs the .bin, and none is given")
}

func TestConstantSpelling(t *testing.T) {
	_, err := irxml.Read(smallWith(t, `type="Const"`, `type="Constant"`), smallBin, irxml.ReadOptions{})
	assert.ErrorContains(t, err, "a Constant is written Const in the file, not Constant")
}

// packStrings returns the bytes of a string Constant in a .bin.
func packStrings(list ...string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(list)))
	end := uint32(0)
	b = binary.LittleEndian.AppendUint32(b, end)
	for _, s := range list {
		end += uint32(len(s))
		b = binary.LittleEndian.AppendUint32(b, end)
	}
	for _, s := range list {
		b = append(b, s...)
	}
	return b
}

func TestStringConstants(t *testing.T) {
	read := func(shape string, bin []byte) ([]string, error) {
		tensor, err := readConst(fmt.Sprintf(`element_type="string" shape="%s" offset="0" size="%d"`, shape, len(bin)), bin, irxml.ReadOptions{})
		if err != nil {
			return nil, err
		}
		return tensor.Strings(), nil
	}
	for _, c := range []struct {
		shape string
		bin   []byte
		want  []string
	}{
		{"2", packStrings("é", ""), []string{"é", ""}},
		{"", packStrings("a"), []string{"a"}},
		{"3", packStrings("a"), []string{"a", "", ""}},
		{"1", packStrings("a", "b"), []string{"a"}},
		{"0", packStrings(), []string{}},
		{"1", []byte("\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00a"), []string{""}},
		{"1", append(packStrings("a"), "rest"...), []string{"a"}},
	} {
		got, err := read(c.shape, c.bin)
		require.NoError(t, err, "%q", c.bin)
		assert.Equal(t, c.want, got, "%q", c.bin)
	}
	for _, c := range []struct{ bin, message string }{
		{"", "the header needs 4 bytes"},
		{"\x00\x00\x00\x00", "the header has 0 strings, which do not fit into the data"},
		{"\xff\xff\xff\xff\x00\x00\x00\x00", "the header has -1 strings"},
		{"\xff\xff\xff\x7f\x00\x00\x00\x00", "the header has 2147483647 strings"},
		{"\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00a", "string 0 ends at offset 2, of 1 bytes, after one that ends at 0"},
		{"\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00a", "string 1 ends at offset 0, of 1 bytes, after one that ends at 1"},
		{"\x01\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00a", "ends at offset -1"},
	} {
		_, err := read("1", []byte(c.bin))
		assert.ErrorContains(t, err, c.message, "%q", c.bin)
	}
}

func TestConstantsShareRanges(t *testing.T) {
	bin := append([]byte("x"), smallBin...)
	m, err := irxml.Read(smallWith(t, `offset="0" size="24"`, `offset="1" size="24"`,
		"</layers>", `<layer id="9" name="b" type="Const" version="opset1"><data element_type="f32" shape="6" offset="1" size="24"/><output><port id="0" precision="FP32"/></output></layer>
<layer id="8" name="z" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>`,
		"</edges>", `<edge from-layer="9" from-port="0" to-layer="8" to-port="0" /></edges>`), bin, irxml.ReadOptions{})
	require.NoError(t, err)
	a, b := m.Layers[1].Constant, m.Layers[4].Constant
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, ir.Data[float32](b))
	assert.Same(t, &a.Bytes()[0], &b.Bytes()[0], "one copy of a range that lies unaligned")
}

func TestConstantsShareTheBin(t *testing.T) {
	if hostIsBigEndian {
		t.Skip("elements have to be swapped")
	}
	bin := ir.AlignedBytes(24)
	copy(bin, smallBin)
	m, err := irxml.Read([]byte(smallXML), bin, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Same(t, &bin[0], &m.Layers[1].Constant.Bytes()[0])
}

func TestConstantLimits(t *testing.T) {
	data := `element_type="u8" shape="100" offset="0" size="100"`
	_, err := readConst(data, make([]byte, 100), irxml.ReadOptions{Limits: irxml.Limits{TensorBytes: 99}})
	assert.ErrorContains(t, err, "u8[100] needs 100 bytes, more than the limit of 99")
	// A Constant with a few bytes and a shape of many strings.
	bin := packStrings("a")
	data = fmt.Sprintf(`element_type="string" shape="100000000" offset="0" size="%d"`, len(bin))
	_, err = readConst(data, bin, irxml.ReadOptions{})
	assert.ErrorContains(t, err, "constants need more than")
}

func TestConstantWithoutBin(t *testing.T) {
	m, err := irxml.Read([]byte(smallXML), nil, irxml.ReadOptions{NoBin: true})
	require.NoError(t, err)
	assert.Equal(t, int64(-1), m.BinSize)
	assert.Nil(t, m.Layers[1].Constant)
	assert.Equal(t, ir.ConstRange{Offset: 0, Size: 24}, m.Layers[1].Const)
	_, err = irxml.Read(smallWith(t, `size="24"`, `size="23"`), nil, irxml.ReadOptions{NoBin: true})
	assert.ErrorContains(t, err, "needs 24 bytes, the Constant has 23", "what the XML alone tells is checked")
}
