package irxml

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// maxInt is the largest int of the platform.
const maxInt = math.MaxInt

// constant sets the value of a Constant. It checks the data element even if there is no .bin.
func (w *weights) constant(layer *ir.Layer) error {
	if layer.FileType != "Const" {
		return faults.Errorf("a Constant is written Const in the file, not %s", layer.FileType)
	}
	if len(layer.Data) == 0 {
		return errors.New("the Constant has no data element")
	}
	t, shape, size, err := constantType(layer)
	if err != nil {
		return err
	}
	if int64(size) > w.limits.TensorBytes {
		return faults.Errorf("%v%v needs %d bytes, more than the limit of %d", t, shape, size, w.limits.TensorBytes)
	}
	attributes := ir.AttributesOf(layer)
	if text, ok := attributes.Lookup("value"); ok {
		layer.Constant, err = w.literal(t, shape, size, text)
		return err
	}
	if layer.Const.Offset, err = uintAttribute(attributes, "offset"); err != nil {
		return err
	}
	if layer.Const.Size, err = uintAttribute(attributes, "size"); err != nil {
		return err
	}
	if t != ir.String && layer.Const.Size < uint64(size) {
		return faults.Errorf("%v%v needs %d bytes, the Constant has %d (offset %d)", t, shape, size, layer.Const.Size, layer.Const.Offset)
	}
	if w.noBin {
		return nil
	}
	layer.Constant, err = w.tensor(t, shape, size, layer.Const)
	return err
}

// uintAttribute returns a mandatory unsigned attribute of a Constant.
func uintAttribute(attributes *ir.Attributes, name string) (uint64, error) {
	text, ok := attributes.Lookup(name)
	if !ok {
		return 0, faults.Errorf("attribute %s is missing", name)
	}
	n, err := parseUint([]byte(text))
	if err != nil {
		return 0, faults.Errorf("attribute %s: %w", name, err)
	}
	return n, nil
}

// constantType returns the element type and the shape of a Constant, and the size of its
// elements in bytes.
func constantType(layer *ir.Layer) (ir.ElementType, ir.Shape, int, error) {
	attributes := ir.AttributesOf(layer)
	for _, name := range [...]string{"element_type", "shape"} {
		if _, ok := attributes.Lookup(name); !ok {
			return 0, nil, 0, faults.Errorf("attribute %s is missing", name)
		}
	}
	t := attributes.ElementType("element_type", ir.Dynamic)
	dims := attributes.Ints("shape")
	if err := attributes.Err(); err != nil {
		return 0, nil, 0, err
	}
	if t == ir.Dynamic {
		return 0, nil, 0, errors.New("attribute element_type: a Constant cannot be dynamic")
	}
	if err := ir.CheckRank(len(dims)); err != nil {
		return 0, nil, 0, faults.Errorf("attribute shape: %w", err)
	}
	shape := make(ir.Shape, len(dims))
	for i, d := range dims {
		if d < 0 || d > maxInt {
			return 0, nil, 0, faults.Errorf("attribute shape: dimension %d is %d, expected 0 to %d", i, d, maxInt)
		}
		shape[i] = int(d)
	}
	size, err := ir.ByteSize(t, shape)
	return t, shape, size, err
}

// literal returns the value of a Constant whose bytes are the text of an attribute.
func (w *weights) literal(t ir.ElementType, shape ir.Shape, size int, text string) (*ir.Tensor, error) {
	if t == ir.String {
		return nil, errors.New("attribute value: a string Constant must be in the .bin")
	}
	if len(text) < size {
		return nil, faults.Errorf("attribute value: %v%v needs %d bytes, the text has %d", t, shape, size, len(text))
	}
	aligned := ir.AlignedBytes(size)
	copy(aligned, text)
	return newConstant(t, shape, w.normalise(t, aligned))
}

// newConstant returns a tensor over data.
func newConstant(t ir.ElementType, shape ir.Shape, data []byte) (*ir.Tensor, error) {
	return ir.TensorOfBytes(t, shape, data)
}

// tensor returns the value of a Constant whose bytes are in the .bin.
func (w *weights) tensor(t ir.ElementType, shape ir.Shape, size int, at ir.ConstRange) (*ir.Tensor, error) {
	if w.size < 0 {
		if size == 0 {
			return ir.NewTensor(t, shape...)
		}
		return nil, w.absent()
	}
	if total := uint64(w.size); at.Offset > total || at.Size > total-at.Offset {
		return nil, &ShortBinError{at.Offset, at.Size, total, foreignBin(w.data)}
	}
	// The .bin is in memory, so its length fits an int.
	data := w.data[at.Offset : at.Offset+at.Size]
	if t == ir.String {
		list, err := w.strings(shape, data)
		if err != nil {
			return nil, faults.Errorf("string Constant at offset %d, size %d: %w", at.Offset, at.Size, err)
		}
		return ir.StringTensor(shape, list)
	}
	data = data[:size:size]
	if u, err := w.deferCopy(t, data, at.Offset); err != nil {
		return nil, err
	} else if u != nil {
		return ir.DeferredTensor(t, shape, u)
	}
	data, err := w.view(t, data, at.Offset)
	if err != nil {
		return nil, err
	}
	return newConstant(t, shape, data)
}
