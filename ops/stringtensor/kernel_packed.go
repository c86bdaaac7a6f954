package stringtensor

import (
	"encoding/binary"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// numberBytes is the size of a number in packed strings.
const numberBytes = 4

// prepareExtensionUnpack returns the kernel of StringTensorUnpack of the extension.
func prepareExtensionUnpack(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type == ir.String {
		return prepareUnpack(p)
	}
	return &ops.Prepared{Kernel: unpackBytes}, nil
}

// unpackBytes unpacks the strings in a vector of u8.
func unpackBytes(r *ops.Run) error {
	offsets, symbols, err := splitPacked(r.Inputs[0].Bytes())
	if err != nil {
		return err
	}
	n := len(offsets)/numberBytes - 1
	for output := range min(len(r.Outputs), 2) {
		if err := r.SetShape(output, n); err != nil {
			return err
		}
		to := ir.Data[int32](r.Outputs[output])
		for lo := 0; lo < n; lo += counted {
			if r.Stop.Requested() {
				return parallel.ErrStopped
			}
			for i := lo; i < min(lo+counted, n); i++ {
				to[i] = offsetAt(offsets, i+output)
				if begin, end := offsetAt(offsets, i), offsetAt(offsets, i+1); begin < 0 || end < begin || int(end) > len(symbols) {
					return faults.Errorf("packed string %d is from %d to %d, of %d bytes", i, begin, end, len(symbols))
				}
			}
		}
	}
	if len(r.Outputs) < 3 {
		return nil
	}
	symbols = symbols[:max(offsetAt(offsets, n), 0)]
	if err := r.SetShape(2, len(symbols)); err != nil {
		return err
	}
	parallel.Copy(r.Stop, r.Outputs[2].Bytes(), symbols)
	return nil
}

// splitPacked returns the offsets of packed strings, at least one, and their bytes.
func splitPacked(packed []byte) (offsets, symbols []byte, err error) {
	if len(packed) < 2*numberBytes {
		return nil, nil, faults.Errorf("packed strings have %d bytes, expected at least %d", len(packed), 2*numberBytes)
	}
	n, rest := int64(int32(binary.LittleEndian.Uint32(packed))), packed[numberBytes:]
	if n < 0 || (n+1)*numberBytes > int64(len(rest)) {
		return nil, nil, faults.Errorf("packed strings have %d strings, and %d bytes for their offsets", n, len(rest))
	}
	offsets, symbols = rest[:(n+1)*numberBytes], rest[(n+1)*numberBytes:]
	if last := offsetAt(offsets, int(n)); int64(last) > int64(len(symbols)) {
		return nil, nil, faults.Errorf("the last packed string ends at %d, of %d bytes", last, len(symbols))
	}
	return offsets, symbols, nil
}

func offsetAt(offsets []byte, i int) int32 {
	return int32(binary.LittleEndian.Uint32(offsets[numberBytes*i:]))
}
