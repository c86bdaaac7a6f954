package irxml

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// The rule of OpenVINO 2026.4 for WriteOptions.CompressToFP16: which Constants lose too much in f16
// and stay.
const (
	// maxHalfError is the largest difference to the value in f16 that any element may have.
	maxHalfError = 1.0
	// maxHalfShare is the largest difference in relation to the value; maxScalarShare is that of a
	// Constant of one element.
	maxHalfShare, maxScalarShare = 1e-3, 1e-4
	// keepShare is the share of elements with a larger one, or beyond the range of f16, from which
	// on a Constant stays.
	keepShare = 0.75

	maxHalf = 65504
	minHalf = 1.0 / (1 << 24) // the smallest positive f16
)

// sensitiveInputs lists the inputs with shapes and the like, which OpenVINO keeps precise: so do
// the Constants that they are computed from.
var sensitiveInputs = map[string][]int{
	"BatchToSpace": {1, 2, 3}, "Broadcast": {1}, "ConvolutionBackpropData": {2}, "GroupConvolutionBackpropData": {2}, "Interpolate": {1, 2},
	"OneHot": {1}, "Pad": {1, 2}, "Reshape": {1}, "SpaceToBatch": {1, 2, 3}, "StridedSlice": {1, 2, 3}, "Tile": {1}, "TopK": {1},
}

// isSensitive reports whether input i of layer is in sensitiveInputs.
func isSensitive(layer *ir.Layer, i int) bool {
	if layer.Type == "Interpolate" && i == 2 && len(layer.Opset) > len("opset4") {
		return false // the axes, from opset11 on
	}
	return slices.Contains(sensitiveInputs[layer.Type], i)
}

// storage is how a Constant is written if the model is compressed to f16.
type storage uint8

const (
	storedPlain   storage = iota
	storedPrecise         // with a mark for plugins, as a shape or the like is computed from it
	storedHalf            // as f16
)

// compressed returns how Constants of m and its bodies are written. They stay as they are in a
// model that is compressed in another way.
func compressed(ctx context.Context, m *ir.Model) (map[*ir.Layer]storage, error) {
	for layer := range m.AllLayers() {
		if isQuantized(layer) {
			return nil, nil
		}
	}
	found := make(map[*ir.Layer]storage)
	markPrecise(m, found)
	for layer := range m.AllLayers() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		value := layer.Constant
		if layer.Type != "Constant" || value == nil || found[layer] == storedPrecise || staysPrecise(layer.RTInfo) {
			continue
		}
		if t := value.ElementType(); (t == ir.F32 || t == ir.F64) && len(layer.Outputs) == 1 && fitsHalf(value) {
			found[layer] = storedHalf
		}
		m.Discard(value)
	}
	return found, nil
}

// staysPrecise reports whether the rt_info of a Constant says that it stays as it is.
func staysPrecise(info *etree.Element) bool {
	if info == nil {
		return false
	}
	for _, a := range info.ChildElements() {
		if name := a.SelectAttrValue("name", ""); name == "precise" || name == "DisablePrecisionConversion" {
			return true
		}
	}
	return false
}

// isQuantized reports whether layer shows that the model is quantized: it is a FakeQuantize or
// FakeConvert, or a Multiply that gives the values of compressed weights.
func isQuantized(layer *ir.Layer) bool {
	switch layer.Type {
	case "FakeQuantize", "FakeConvert":
		return true
	case "Multiply":
	default:
		return false
	}
	if len(layer.Inputs) != 2 {
		return false
	}
	for i := range layer.Inputs {
		weights, scale := layer.Inputs[i].Source, layer.Inputs[1-i].Source
		if scale.Type != "Constant" {
			continue
		}
		if weights.Type == "Subtract" && len(weights.Inputs) == 2 {
			if zero := weights.Inputs[1].Source; zero.Type != "Constant" && !isConvertOf(zero, nil) {
				continue
			}
			weights = weights.Inputs[0].Source
		}
		if isConvertOf(weights, compressedTypes) {
			return true
		}
	}
	return false
}

// compressedTypes lists the element types of compressed weights.
var compressedTypes = []ir.ElementType{ir.I4, ir.U4, ir.I8, ir.U8, ir.NF4, ir.F8E4M3, ir.F8E5M2}

// isConvertOf reports whether layer converts a Constant of one of the types; of any type if types
// is nil.
func isConvertOf(layer *ir.Layer, types []ir.ElementType) bool {
	if layer.Type != "Convert" || len(layer.Inputs) != 1 || layer.Inputs[0].Source.Type != "Constant" {
		return false
	}
	constant := layer.Inputs[0].Source.Constant
	return types == nil || constant != nil && slices.Contains(types, constant.ElementType())
}

// markPrecise adds the Constants that sensitive inputs are computed from to stored. As in OpenVINO,
// it does not look for sensitive inputs in what only they depend on.
func markPrecise(m *ir.Model, stored map[*ir.Layer]storage) {
	visited, onPath := make([]bool, len(m.Layers)), make([]bool, len(m.Layers))
	var stack []*ir.Layer
	push := func(layer *ir.Layer) {
		if !visited[layer.Index] {
			visited[layer.Index] = true
			stack = append(stack, layer)
		}
	}
	for _, list := range [][]*ir.Layer{m.Sinks, m.Results} {
		for _, layer := range slices.Backward(list) {
			push(layer)
		}
	}
	for len(stack) > 0 {
		layer := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := range layer.Bodies {
			markPrecise(layer.Bodies[i].Model, stored)
		}
		for i := range layer.Inputs {
			if isSensitive(layer, i) {
				visited[layer.Inputs[i].Source.Index] = true
				markShapePath(layer.Inputs[i].Source, onPath, stored)
			}
		}
		for i := range layer.Inputs {
			push(layer.Inputs[i].Source)
		}
	}
}

// markShapePath adds the Constants that root depends on to stored, up to layers of type ShapeOf.
func markShapePath(root *ir.Layer, visited []bool, stored map[*ir.Layer]storage) {
	visited[root.Index] = true
	for stack := []*ir.Layer{root}; len(stack) > 0; {
		layer := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch layer.Type {
		case "ShapeOf":
			continue
		case "Constant":
			stored[layer] = storedPrecise
		}
		for i := range layer.Inputs {
			if source := layer.Inputs[i].Source; !visited[source.Index] {
				visited[source.Index] = true
				stack = append(stack, source)
			}
		}
	}
}

// halfBlock is the number of elements that are converted at once.
const halfBlock = 1 << 15

// blocks calls visit with the elements of a tensor of f32 or f64 in turn. Those that lie unaligned
// in the .bin are copied.
func blocks(t *ir.Tensor, visit func(singles []float32, doubles []float64) error) error {
	width := t.ElementType().Size()
	data := t.Unaligned()
	var copied []byte
	if data != nil {
		copied = ir.AlignedBytes(min(halfBlock*width, len(data)))
	} else {
		data = t.Bytes()
	}
	for len(data) > 0 {
		part := data[:min(halfBlock*width, len(data))]
		data = data[len(part):]
		if copied != nil {
			part = copied[:copy(copied, part)]
		}
		var err error
		if t.ElementType() == ir.F32 {
			err = visit(cast.Bytes[float32](part), nil)
		} else {
			err = visit(nil, cast.Bytes[float64](part))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fitsHalf reports whether a tensor of f32 or f64 keeps enough in f16.
func fitsHalf(t *ir.Tensor) bool {
	n := t.Len()
	if n == 0 {
		return false
	}
	if n > 1 && t.ElementType() == ir.F32 && surelyFits(t) {
		return true
	}
	limit := float32(maxHalfShare)
	if n == 1 {
		limit = maxScalarShare
	}
	rejected := 0
	err := blocks(t, func(singles []float32, doubles []float64) error {
		for _, v := range singles {
			size := max(v, -v)
			if v != 0 && !(size >= minHalf && size <= maxHalf) { // or not a number
				rejected++
				continue
			}
			lost := half.F16ToF32(half.F32ToF16(size)) - size
			lost = max(lost, -lost)
			if lost > maxHalfError {
				return errLossy
			}
			if lost > size*limit {
				rejected++
			}
		}
		for _, v := range doubles {
			size := math.Abs(v)
			if size < minHalf && v != 0 || size > maxHalf {
				rejected++
				continue
			}
			lost := math.Abs(size - float64(half.F16ToF32(half.F32ToF16(float32(size)))))
			if lost > maxHalfError {
				return errLossy
			}
			if v != 0 && lost/size > float64(limit) {
				rejected++
			}
		}
		return nil
	})
	return err == nil && float32(rejected)/float32(n) < keepShare
}

// surelyFits reports whether few elements of an f32 tensor are outside of the range in which none
// loses too much: from 512 times the smallest f16, as half of that is lost at most, to 4096. Most
// Constants are so, and converting them would take much longer.
func surelyFits(t *ir.Tensor) bool {
	const sign = 1 << 31
	low, high := math.Float32bits(512*minHalf), math.Float32bits(4096)
	outside, largest := 0, uint32(0)
	_ = blocks(t, func(singles []float32, _ []float64) error {
		for _, v := range singles {
			bits := math.Float32bits(v) &^ sign // in the order of the values
			largest = max(largest, bits)
			if bits-low > high-low && bits != 0 {
				outside++
			}
		}
		return nil
	})
	return largest <= high && float32(outside)/float32(t.Len()) < keepShare
}

// errLossy ends fitsHalf.
var errLossy = errors.New("an element loses too much")

// toHalves converts elements of f32 or f64 to f16 as OpenVINO does: values beyond the range, and
// NaNs of f32, become the largest.
func toHalves(dst []uint16, singles []float32, doubles []float64) {
	half.F32sToF16s(dst[:len(singles)], singles)
	for i, h := range dst[:len(singles)] {
		if h&0x7fff >= 0x7c00 { // infinite, or not a number
			dst[i] = 0x7bff
			if singles[i] < 0 {
				dst[i] = 0xfbff
			}
		}
	}
	for i, v := range doubles {
		switch {
		case math.Abs(v) < minHalf && v != 0:
			v = 0
		case v > maxHalf:
			v = maxHalf
		case v < -maxHalf:
			v = -maxHalf
		}
		dst[i] = half.F32ToF16(float32(v))
	}
}

// newMark returns an rt_info attribute.
func newMark(name string) *etree.Element {
	mark := etree.NewElement("attribute")
	mark.CreateAttr("name", name)
	mark.CreateAttr("version", "0")
	return mark
}

// decompression returns the attribute of the Convert after a Constant that is written as f16.
func decompression() *etree.Element { return newMark("decompression") }

// precision returns the attribute of a Constant that must not be converted to f16.
func precision() *etree.Element {
	mark := newMark("DisablePrecisionConversion")
	mark.CreateAttr("value", "dynamic:f16")
	return mark
}

// marked returns a copy of info with an attribute added, unless it is there, in the order of names.
func marked(info, mark *etree.Element) *etree.Element {
	result := etree.NewElement("rt_info")
	if info != nil {
		result = info.Copy()
	}
	name := mark.SelectAttrValue("name", "")
	for _, e := range result.ChildElements() {
		switch other := e.SelectAttrValue("name", ""); {
		case other == name:
			return result
		case other > name:
			result.InsertChildAt(e.Index(), mark)
			return result
		}
	}
	result.AddChild(mark)
	return result
}
