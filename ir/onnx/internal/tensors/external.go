package tensors

import (
	"errors"
	"math"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// external returns the bytes of a tensor of type e whose elements are in another file. Keys that
// ONNX does not specify are ignored, and so is the checksum, as by all readers of ONNX.
func (l *Loader) external(t *proto.Tensor, e ir.ElementType) ([]byte, error) {
	location, offset, length := "", uint64(0), uint64(math.MaxUint64)
	for _, entry := range t.Location {
		var err error
		switch entry.Key {
		case "location":
			location = entry.Value
		case "offset":
			offset, err = strconv.ParseUint(entry.Value, 10, 63)
		case "length":
			length, err = strconv.ParseUint(entry.Value, 10, 63)
		}
		if err != nil {
			return nil, faults.Errorf("external data: %s %q is not a number of bytes", entry.Key, entry.Value)
		}
	}
	switch {
	case location == "":
		return nil, errors.New("external data: the location is missing")
	case e == ir.String:
		return nil, errors.New("external data cannot have strings")
	case l.File == nil:
		return nil, faults.Errorf("external data: the file %q is needed, and the model was read without a folder", location)
	}
	data, err := l.File(location)
	if err != nil {
		return nil, faults.Errorf("external data: %w", err)
	}
	size := uint64(len(data))
	if length == math.MaxUint64 {
		length = size - min(offset, size)
	}
	if offset > size || length > size-offset {
		return nil, &ShortFileError{location, offset, length, size}
	}
	return data[offset : offset+length : offset+length], nil
}

// ShortFileError reports a tensor that is not in its file.
type ShortFileError struct {
	Location       string
	Offset, Length uint64 // of the tensor, in bytes
	FileBytes      uint64
}

func (e *ShortFileError) Error() string {
	return faults.Errorf("the tensor is at offset %d, size %d: outside of %q, which has %d bytes; it was cut off or belongs to another model",
		e.Offset, e.Length, e.Location, e.FileBytes).Error()
}
