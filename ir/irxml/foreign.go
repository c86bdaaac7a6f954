package irxml

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
)

// ForeignFileError reports a file that is something else than a part of an IR.
type ForeignFileError struct {
	// What the file is, as "an ONNX model", and Remedy what to do about it.
	What, Remedy string
}

func (e *ForeignFileError) Error() string { return "this is " + e.What + ": " + e.Remedy }

// ShortBinError reports a Constant that is not in the .bin.
type ShortBinError struct {
	Offset, Size uint64 // of the Constant, in bytes
	BinBytes     uint64
	// Foreign is what the .bin is, by its first bytes; nil if they tell nothing.
	Foreign *ForeignFileError
}

func (e *ShortBinError) Error() string {
	text := fmt.Sprintf("the Constant is at offset %d, size %d: outside of the .bin, which has %d bytes", e.Offset, e.Size, e.BinBytes)
	if e.Foreign != nil {
		return text + "; " + e.Foreign.Error()
	}
	return text + "; it was cut off or belongs to another model"
}

// Unwrap returns Foreign.
func (e *ShortBinError) Unwrap() error {
	if e.Foreign == nil {
		return nil
	}
	return e.Foreign
}

// foreignBin returns what data, which should be the .bin but is too short, is instead; nil if its
// first bytes do not tell. Weights can start with any bytes, so that nothing is said about a .bin
// that is long enough.
func foreignBin(data []byte) *ForeignFileError {
	e := foreignText(data)
	switch {
	case e == nil, bytes.HasPrefix(data, []byte(pointerStart)):
	case len(data) == 0:
		e.Remedy = "copy or download it again"
	case e.What == archive:
		e.Remedy = "unpack it"
	case e.What != webPage:
		e.Remedy = "the weights are in the .bin that was made together with the .xml"
	}
	return e
}

// The kinds of files that hold for the .bin too.
const archive, webPage = "an archive", "a web page"

// foreignBytes is the number of bytes at the start of a file that tell of what kind it is.
const foreignBytes = 1024

// foreignText returns an error if data, which should be the XML, is a file of a known kind; nil if
// it is not.
func foreignText(data []byte) *ForeignFileError {
	if e := pointer(data); e != nil {
		return e
	}
	head := data[:min(len(data), foreignBytes)]
	at := func(offset int, magic string) bool {
		return len(head) >= offset && bytes.HasPrefix(head[offset:], []byte(magic))
	}
	isPage := func(start string) bool {
		trimmed := bytes.TrimSpace(head)
		return len(trimmed) >= len(start) && bytes.EqualFold(trimmed[:len(start)], []byte(start))
	}
	switch {
	case isONNX(head): // before kinds that bytes further on tell
		return &ForeignFileError{"an ONNX model", "convert it: vinoir convert MODEL.onnx MODEL.xml, or read it with package ir/onnx"}
	case len(data) == 0:
		return &ForeignFileError{"an empty file", "a model is read by its .xml; copy or download it again"}
	case isPage("<!doctype html") || isPage("<html"):
		return &ForeignFileError{webPage, "the address of a download was that of a page about the file; download the file itself"}
	case at(0, "PK\x03\x04") && bytes.Contains(head, []byte("data.pkl")), at(0, "\x80\x02"):
		return &ForeignFileError{"a PyTorch file", "convert the model with openvino.convert_model or optimum-cli"}
	case at(0, "PK\x03\x04"), at(0, "\x1f\x8b"), at(0, "BZh"), at(0, "\xfd7zXZ"), at(0, "\x28\xb5\x2f\xfd"), at(0, "7z\xbc\xaf"), at(257, "ustar"):
		return &ForeignFileError{archive, "unpack it, and read the .xml in it"}
	case at(4, "TFL3"):
		return &ForeignFileError{"a TensorFlow Lite model", "convert it: ovc MODEL.tflite"}
	case at(8, `{"`):
		return &ForeignFileError{"a safetensors file", "convert the model with optimum-cli export openvino"}
	case at(0, "RR_UPCVO"), at(0, "\x7fELF"), at(0, "GENINE"):
		return &ForeignFileError{"a compiled model (.blob)", "it holds for one version of OpenVINO and one device; read the .xml that it was compiled from"}
	}
	return nil
}

// pointerStart is how each pointer of Git LFS starts.
const pointerStart = "version https://git-lfs.github.com/spec/"

// pointer returns an error if data is a pointer of Git LFS, which stands in for a file that was not
// fetched.
func pointer(data []byte) *ForeignFileError {
	if !bytes.HasPrefix(data, []byte(pointerStart)) {
		return nil
	}
	what := "a pointer of Git LFS, not the file itself"
	_, size, _ := bytes.Cut(data[:min(len(data), 1024)], []byte("\nsize "))
	size, _, _ = bytes.Cut(size, []byte("\n"))
	if n, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 10, 63); err == nil {
		what = fmt.Sprintf("a pointer of Git LFS, not the file itself, which has %d bytes", n)
	}
	return &ForeignFileError{what, "fetch it: git lfs pull"}
}

// isONNX reports whether a file starts like the protocol buffer of an ONNX model: ir_version, field
// 1, and then a field that ModelProto has.
func isONNX(head []byte) bool {
	if len(head) < 4 || head[0] != 1<<3 {
		return false
	}
	version, n := binary.Uvarint(head[1:])
	if n <= 0 || version > 100 || 1+n >= len(head) {
		return false
	}
	switch head[1+n] {
	case 2<<3 | 2, 3<<3 | 2, 4<<3 | 2, 5 << 3, 6<<3 | 2, 7<<3 | 2, 8<<3 | 2, 14<<3 | 2:
		return true
	}
	return false
}
