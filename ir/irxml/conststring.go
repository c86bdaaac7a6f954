package irxml

import (
	"encoding/binary"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// strings decodes a string Constant: the number N of strings, then N+1 ascending offsets, each
// an int32, then the bytes of all strings. OpenVINO does not compare N with the shape: missing
// strings are empty, and surplus strings are dropped.
func (w *weights) strings(shape ir.Shape, data []byte) ([]string, error) {
	const word = 4
	if len(data) < word {
		return nil, faults.Errorf("the header needs %d bytes", word)
	}
	count := int64(int32(binary.LittleEndian.Uint32(data)))
	if count < 0 || (count+2)*word > int64(len(data)) {
		return nil, faults.Errorf("the header has %d strings, which do not fit into the data", count)
	}
	offsets, text := data[word:(count+2)*word], data[(count+2)*word:]
	n := shape.Elements()
	if err := w.reserve(n * int(unsafe.Sizeof(""))); err != nil {
		return nil, err
	}
	if err := w.reserve(len(text)); err != nil {
		return nil, err
	}
	all := string(text)
	list := make([]string, n)
	from := int32(0)
	for i := range int(count) + 1 {
		to := int32(binary.LittleEndian.Uint32(offsets[i*word:]))
		if to < from || int(to) > len(text) {
			return nil, faults.Errorf("string %d ends at offset %d, of %d bytes, after one that ends at %d", i-1, to, len(text), from)
		}
		if i > 0 && i <= n {
			list[i-1] = all[from:to]
		}
		from = to
	}
	return list, nil
}
