package generate

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// maxHeaderBytes is the largest header of a safetensors file that its own library reads.
const maxHeaderBytes = 100_000_000

// readSafetensors returns the tensors of a safetensors file by name, as f32: 8 bytes with the
// length of the header, the header, which is JSON, and the elements.
//
//	{"name": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}, "__metadata__": {}}
func readSafetensors(data []byte) (map[string]*ir.Tensor, error) {
	if len(data) < 8 {
		return nil, faults.Errorf("it has %d bytes, not the 8 of the length of a header", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if rest := uint64(len(data) - 8); length > min(rest, maxHeaderBytes) {
		return nil, faults.Errorf("the header has %d bytes, more than the %d that follow or the limit of %d", length, rest, maxHeaderBytes)
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(data[8:8+length], &header); err != nil {
		return nil, faults.Errorf("the header: %w", err)
	}
	delete(header, "__metadata__")
	tensors := make(map[string]*ir.Tensor, len(header))
	for name, raw := range header {
		var h struct {
			Type    string    `json:"dtype"`
			Shape   []int     `json:"shape"`
			Offsets [2]uint64 `json:"data_offsets"`
		}
		err := json.Unmarshal(raw, &h)
		if err == nil {
			tensors[name], err = floatsOf(h.Type, h.Shape, h.Offsets, data[8+length:])
		}
		if err != nil {
			return nil, faults.Errorf("tensor %q: %w", name, err)
		}
	}
	return tensors, nil
}

// floatsOf returns a tensor of f32 with the elements between two offsets of data.
func floatsOf(typeName string, shape ir.Shape, offsets [2]uint64, data []byte) (*ir.Tensor, error) {
	t, ok := map[string]ir.ElementType{"F32": ir.F32, "F16": ir.F16, "BF16": ir.BF16}[typeName]
	if !ok {
		return nil, faults.Errorf("its type is %q, not F32, F16 or BF16", typeName)
	}
	size, err := ir.ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	from, to := offsets[0], offsets[1]
	if from > to || to > uint64(len(data)) || to-from != uint64(size) {
		return nil, faults.Errorf("%v%v has %d bytes, and the offsets are %d and %d of %d", t, shape, size, from, to, len(data))
	}
	raw, err := ir.TensorOfBytes(t, shape, data[from:to])
	if err != nil {
		return nil, err
	}
	floats, err := ir.NewTensor(ir.F32, shape...)
	if err != nil {
		return nil, err
	}
	out := ir.Data[float32](floats)
	switch t {
	case ir.F16:
		half.F16sToF32s(out, cast.Bytes[uint16](raw.Bytes()))
	case ir.BF16:
		half.BF16sToF32s(out, cast.Bytes[half.BFloat16](raw.Bytes()))
	default:
		copy(out, ir.Data[float32](raw))
	}
	for _, v := range out {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, faults.Errorf("it has the element %v", v)
		}
	}
	return floats, nil
}
