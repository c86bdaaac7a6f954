package irxml_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// lfsPointer is what a repository holds instead of a large file.
const lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 23369472\n"

// TestRead_foreign reads files that are no models.
func TestRead_foreign(t *testing.T) {
	tar := strings.Repeat("x", 257) + "ustar\x0000"
	for name, c := range map[string]struct{ data, want string }{
		"empty":       {"", "this is an empty file: a model is read by its .xml; copy or download it again"},
		"pointer":     {lfsPointer, "this is a pointer of Git LFS, not the file itself, which has 23369472 bytes: fetch it: git lfs pull"},
		"no size":     {"version https://git-lfs.github.com/spec/v1\nsize x", "this is a pointer of Git LFS, not the file itself: fetch it: git lfs pull"},
		"web page":    {"\n<!DOCTYPE html><html></html>", "this is a web page: the address of a download was that of a page about the file; download the file itself"},
		"old page":    {"<HTML><body>", "this is a web page"},
		"zip":         {"PK\x03\x04\x14\x00", "this is an archive: unpack it, and read the .xml in it"},
		"gzip":        {"\x1f\x8b\x08\x00", "this is an archive"},
		"tar":         {tar, "this is an archive"},
		"PyTorch":     {"PK\x03\x04\x00\x00archive/data.pkl", "this is a PyTorch file: convert the model with openvino.convert_model or optimum-cli"},
		"pickle":      {"\x80\x02\x8a\x0al", "this is a PyTorch file"},
		"TFLite":      {"\x1c\x00\x00\x00TFL3", "this is a TensorFlow Lite model: convert it: ovc MODEL.tflite"},
		"safetensors": {"\x40\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\"", "this is a safetensors file: convert the model with optimum-cli export openvino"},
		"blob":        {"RR_UPCVO\x01\x00", "this is a compiled model (.blob): it holds for one version of OpenVINO and one device; read the .xml that it was compiled from"},
		"ONNX":        {"\x08\x08\x12\x07pytorch", "this is an ONNX model: convert it: vinoir convert MODEL.onnx MODEL.xml"},
		"old ONNX":    {"\x08\x03:\x10", "this is an ONNX model"},
		"numbers":     {"\x08\xff\xff\xff\xff", "not an XML file: a model is read by its .xml"},
		"short":       {"\x08\x08", "not an XML file: a model is read by its .xml"},
		"other XML":   {"<svg/>", ""},
	} {
		_, err := irxml.Read([]byte(c.data), nil, irxml.ReadOptions{})
		require.Error(t, err, name)
		assert.True(t, strings.HasPrefix(err.Error(), c.want), "%s: %v", name, err)
		var format *ir.FormatError
		assert.ErrorAs(t, err, &format, name)
		var foreign *irxml.ForeignFileError
		assert.Equal(t, strings.HasPrefix(c.want, "this is"), errors.As(err, &foreign), name)
	}
}

// TestReadFile_pointer has a pointer of Git LFS instead of the .bin.
func TestReadFile_pointer(t *testing.T) {
	dir := t.TempDir()
	xml, bin := filepath.Join(dir, "model.xml"), filepath.Join(dir, "model.bin")
	require.NoError(t, os.WriteFile(bin, []byte(lfsPointer), 0o644))
	require.NoError(t, os.WriteFile(xml, []byte(nineBytes), 0o644))
	const what = "this is a pointer of Git LFS, not the file itself, which has 23369472 bytes: fetch it: git lfs pull"
	for _, mmap := range []bool{false, true} {
		for _, c := range []struct{ bin, want string }{
			{bin, bin + ": " + what}, {"", `layer 0 "c" (Constant, opset1): the Constant needs the .bin: ` + bin + ": " + what},
		} {
			_, err := irxml.ReadFile(xml, irxml.ReadOptions{MMap: mmap, Bin: c.bin})
			var foreign *irxml.ForeignFileError
			require.ErrorAs(t, err, &foreign)
			assert.ErrorContains(t, err, c.want)
		}
		_, err := irxml.ReadFile(xml, irxml.ReadOptions{MMap: mmap, NoBin: true})
		assert.NoError(t, err)
	}
	_, err := irxml.ReadFS(os.DirFS(dir), "model.xml", irxml.ReadOptions{Bin: "model.bin"})
	assert.EqualError(t, err, "model.bin: "+what)
}

// nineBytes has a Constant of 9 bytes from the fifth on.
const nineBytes = `<net name="n" version="11"><layers><layer id="0" name="c" type="Const" version="opset1">` +
	`<data element_type="u8" shape="9" offset="4" size="9"/><output><port id="0" precision="U8"><dim>9</dim></port></output></layer>` +
	`<layer id="1" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>` +
	`<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>`

func TestRead_shortBin(t *testing.T) {
	_, err := irxml.Read([]byte(nineBytes), make([]byte, 12), irxml.ReadOptions{})
	var short *irxml.ShortBinError
	require.ErrorAs(t, err, &short)
	assert.Equal(t, irxml.ShortBinError{Offset: 4, Size: 9, BinBytes: 12}, *short)
	assert.ErrorContains(t, err, "the Constant is at offset 4, size 9: outside of the .bin, which has 12 bytes; it was cut off or belongs to another model")
}

// TestRead_foreignBin has other files in the place of a .bin: too short, or as long as it should
// be.
func TestRead_foreignBin(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", "which has 0 bytes; this is an empty file: copy or download it again"},
		{"PK\x03\x04\x14\x00", "which has 6 bytes; this is an archive: unpack it"},
		{"\x08\x08\x12\x07pytorch", "which has 11 bytes; this is an ONNX model: the weights are in the .bin that was made together with the .xml"},
		{"<html></html", "this is a web page: the address of a download was that of a page about the file; download the file itself"},
	} {
		_, err := irxml.Read([]byte(nineBytes), []byte(c.data), irxml.ReadOptions{})
		assert.ErrorContains(t, err, "the Constant is at offset 4, size 9: outside of the .bin")
		assert.ErrorContains(t, err, c.want)
		var foreign *irxml.ForeignFileError
		assert.ErrorAs(t, err, &foreign)
		_, err = irxml.Read([]byte(nineBytes), []byte(c.data+"0123456789012"), irxml.ReadOptions{})
		assert.NoError(t, err)
	}
}

// TestReadFile_foreignLong has a file that is longer than the limit, and of another kind, and a
// directory.
func TestReadFile_foreignLong(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.xml")
	options := irxml.ReadOptions{Limits: irxml.Limits{XMLBytes: 20}}
	for _, c := range []struct{ start, want string }{
		{"\x08\x08\x12\x07pytorch", ": this is an ONNX model: convert it: vinoir convert MODEL.onnx MODEL.xml"},
		{"<net", " is longer than the limit of 20 bytes"},
	} {
		text := c.start + strings.Repeat(" ", 2000)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := irxml.ReadFile(path, options)
		assert.ErrorContains(t, err, c.want)
		var format *ir.FormatError
		assert.ErrorAs(t, err, &format)
		_, err = irxml.ReadFrom(strings.NewReader(text), nil, options)
		assert.ErrorContains(t, err, c.want)
		assert.ErrorAs(t, err, &format)
	}
	_, err := irxml.ReadFile(dir, irxml.ReadOptions{})
	assert.EqualError(t, err, dir+" is a directory, not a regular file: a model is read by its .xml")
}
