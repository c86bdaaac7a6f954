package irxml

import (
	"bytes"
	"errors"
	"io"
)

// StartBytes is the number of bytes at the start of a file that IsOther needs.
const StartBytes = foreignBytes

// IsOther reports whether a file that starts with the given bytes is one for a reader of another
// format, such as package ir/onnx. A file of a kind that no reader reads, such as an archive, is
// not: the error of this package says what it is and what to do about it.
func IsOther(start []byte) bool {
	start = start[:min(len(start), StartBytes)]
	return isONNX(start) || !isXML(start) && foreignText(start) == nil
}

// FileIsOther is IsOther for the file that open opens. It returns false for a file that cannot be
// read, so that the error is that of this package.
func FileIsOther(open func() (io.ReadCloser, error)) bool {
	file, err := open()
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, StartBytes)
	n, err := io.ReadFull(file, start)
	return (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && IsOther(start[:n])
}

// isXML reports whether a document that starts with the given bytes can be XML: it is empty, or
// begins with "<" after white space, or with the byte order mark of an encoding.
func isXML(start []byte) bool {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(start, []byte(mark)) {
			return true
		}
	}
	start = bytes.TrimLeft(start, " \t\r\n")
	return len(start) == 0 || start[0] == '<'
}
