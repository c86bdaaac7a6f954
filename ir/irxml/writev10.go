package irxml

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// lastV10Opset is the newest opset of the programs that read version 10 and not version 11, the
// last of which is OpenVINO 2021.4. What they refuse is refused here, although later ones accept
// more.
const lastV10Opset = 7

// asV10 returns a copy of m as those programs can read it. shapes are those of m. Layers of newer
// opsets become ones of older opsets that do the same; if there are none, it is an error.
func asV10(m *ir.Model, shapes *infer.Shapes) (*ir.Model, error) {
	if shapes == nil {
		return nil, errors.New("the inferred shapes are needed for version 10: what ports declare can be wrong")
	}
	m = m.Clone()
	if m.Version > 10 { // otherwise the tensors have these names
		if err := checkNames(m); err != nil {
			return nil, err
		}
	}
	m.Version = 10
	for _, p := range m.Parameters {
		if err := checkElements(p, p, 0, shapes); err != nil {
			return nil, err
		}
	}
	for _, result := range m.Results {
		for _, in := range result.Inputs {
			if err := checkElements(result, in.Source, in.SourceIndex, shapes); err != nil {
				return nil, err
			}
		}
	}
	return m, olderGraph(m, shapes)
}

// checkNames returns an error if the names of layers, which version 10 gives to inputs and outputs,
// are those of others. OpenVINO finds this in an input that is also an output, and in two outputs
// that are one tensor.
func checkNames(m *ir.Model) error {
	outputs := make(map[edit.Source]string)
	for _, result := range m.Results {
		if len(result.Inputs) == 0 {
			continue
		}
		source := edit.SourceOf(result.Inputs[0])
		if source.Layer.Type == "Parameter" {
			return &ir.LayerError{Layer: result, Err: faults.Errorf("the output is input %q, and version 10 cannot have one name for both", source.Layer.Name)}
		}
		if other, ok := outputs[source]; ok {
			return &ir.LayerError{Layer: result, Err: faults.Errorf("the output is that of Result %q too, and version 10 cannot have one name for both", other)}
		}
		outputs[source] = result.Name
	}
	return eachLayerName(m, func(*ir.Output, string) {})
}

// checkElements returns an error if output i of source, which is an input or output of the model at
// layer, has no elements.
func checkElements(layer, source *ir.Layer, i int, shapes *infer.Shapes) error {
	if i < len(source.Outputs) {
		if _, shape := outputFact(shapes, source, i); shape.Elements() == ir.Dim(0) {
			return &ir.LayerError{Layer: layer, Err: faults.Errorf("shape %v cannot be written in version 10, in which inputs and outputs have elements", shape)}
		}
	}
	return nil
}

// olderGraph changes m, the model or a body.
func olderGraph(m *ir.Model, shapes *infer.Shapes) error {
	o := v10Graph{Editor: edit.New(m), shapes: shapes, read: make(map[edit.Source]bool)}
	for _, layer := range m.Order {
		for _, in := range layer.Inputs {
			o.read[edit.SourceOf(in)] = true
		}
	}
	for _, layer := range m.Order {
		if isV10Convert(layer) {
			continue // it is not written
		}
		if err := o.check(layer); err != nil {
			return &ir.LayerError{Layer: layer, Err: err}
		}
		if opsetNumber(layer) > lastV10Opset && !o.rewrite(layer) {
			return &ir.LayerError{Layer: layer, Err: faults.Errorf("the layer cannot be written in version 10, which has opset1 to opset%d", lastV10Opset)}
		}
		switch layer.Type {
		case "Parameter":
			o.setShape(layer, "shape")
		case "ReadValue":
			o.setShape(layer, "variable_shape")
		case "Squeeze", "Unsqueeze":
			o.listAxes(layer)
		}
		for i := range layer.Bodies {
			inner := shapes.Body(layer, i)
			if inner == nil {
				return &ir.LayerError{Layer: layer, Err: faults.Errorf("body %d was not inferred", i)}
			}
			if err := olderGraph(layer.Bodies[i].Model, inner); err != nil {
				return err
			}
		}
	}
	return o.Finish()
}

// opsetNumber returns 8 for a layer of opset8, and 0 for one of a namespace without a number.
func opsetNumber(layer *ir.Layer) int {
	number, _ := strings.CutPrefix(layer.Opset, "opset")
	n, _ := strconv.Atoi(number)
	return n
}

// v10Graph is a graph that is changed to one of version 10.
type v10Graph struct {
	*edit.Editor
	shapes *infer.Shapes
	read   map[edit.Source]bool
}

// check returns an error if version 10 cannot say the type or the shape of an output of layer.
func (o *v10Graph) check(layer *ir.Layer) error {
	for i := range layer.Outputs {
		t, shape := outputFact(o.shapes, layer, i)
		switch t {
		case ir.Boolean, ir.U1, ir.U4, ir.U8, ir.U16, ir.U32, ir.U64, ir.I4, ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.BF16, ir.F32, ir.F64:
		default:
			return faults.Errorf("element type %v cannot be written in version 10, which does not have it", t)
		}
		if !shape.IsStatic() {
			return faults.Errorf("output %d has shape %v, and version 10 has no dynamic shapes: set the shapes of the inputs", i, shape)
		}
	}
	return nil
}

// shape returns the shape that an input of layer reads. It is static if there is the input, since o
// has checked what it reads before.
func (o *v10Graph) shape(layer *ir.Layer, i int) ir.PartialShape {
	if i >= len(layer.Inputs) {
		return ir.UnknownRank
	}
	in := layer.Inputs[i]
	_, shape := outputFact(o.shapes, in.Source, in.SourceIndex)
	return shape
}

// setShape sets an attribute to the shape of the output of layer, if it is less specific.
func (o *v10Graph) setShape(layer *ir.Layer, name string) {
	text, ok := ir.AttributesOf(layer).Lookup(name)
	if was, err := ir.ParsePartialShape(text); !ok || len(layer.Outputs) == 0 || err == nil && was.IsStatic() {
		return
	}
	_, shape := outputFact(o.shapes, layer, 0)
	layer.SetAttribute(name, strings.Trim(shape.String(), "[]"))
}

// listAxes makes the axis of a Squeeze or Unsqueeze a list, as which OpenVINO 2021.4 reads it only.
func (o *v10Graph) listAxes(layer *ir.Layer) {
	if axes, ok := constInts(layer, 1); ok && len(layer.Inputs[1].Source.Constant.Shape()) == 0 {
		o.Connect(&layer.Inputs[1], o.Ints(layer, "axes", ir.I64, ir.Shape{1}, axes...))
		layer.Inputs[1].Declared = ir.UnknownRank // that of the Constant
	}
}

// rewrite changes layer, which is of an opset that version 10 does not have, to what does the same
// in an older one. It returns false if there is nothing. All of OpenVINO's changes are here that
// attributes or constants can undo.
func (o *v10Graph) rewrite(layer *ir.Layer) bool {
	attributes := ir.AttributesOf(layer)
	is := func(name, value, def string) bool { return strings.EqualFold(attributes.String(name, def), value) }
	set := func(opset string, without ...string) bool {
		layer.Opset = opset
		layer.Data = slices.DeleteFunc(slices.Clone(layer.Data), func(a ir.Attribute) bool { return slices.Contains(without, a.Name) })
		return attributes.Err() == nil
	}
	switch layer.Type {
	case "Softmax":
		axis := attributes.Int("axis", 1)
		if axis < 0 {
			axis += int64(o.shape(layer, 0).Rank())
			layer.SetAttribute("axis", strconv.FormatInt(axis, 10))
		}
		return axis >= 0 && set("opset1")
	case "Gather":
		return o.gather(layer) && set("opset7")
	case "GatherND":
		return is("batch_dims", "0", "0") && notNegative(layer, 1) && set("opset5")
	case "MaxPool":
		if o.read[edit.Source{Layer: layer, Output: 1}] || !allOnes(attributes.Ints("dilations")) {
			return false
		}
		if is("rounding_type", "ceil_torch", "floor") {
			if !o.sameCeil(layer) {
				return false
			}
			layer.SetAttribute("rounding_type", "ceil")
		}
		layer.Outputs = layer.Outputs[:min(len(layer.Outputs), 1)]
		return set("opset1", "dilations", "index_element_type", "axis")
	case "AvgPool":
		return !is("rounding_type", "ceil_torch", "floor") && allOnes(attributes.Ints("dilations")) && set("opset1", "dilations")
	case "Pad":
		return notNegative(layer, 1) && notNegative(layer, 2) && set("opset1")
	case "TopK":
		return !attributes.Bool("stable", false) && set("opset3", "stable")
	case "ScatterElementsUpdate":
		return is("reduction", "none", "none") && notNegative(layer, 1) && set("opset3", "reduction", "use_init_val")
	case "ScatterNDUpdate":
		return is("reduction", "none", "none") && notNegative(layer, 1) && set("opset4", "reduction")
	case "ROIAlign":
		// OpenVINO 2021.4 computes the mode max otherwise.
		return is("mode", "avg", "") && is("aligned_mode", "asymmetric", "asymmetric") && set("opset3", "aligned_mode")
	case "Squeeze":
		return !attributes.Bool("allow_axis_skip", false) && set("opset1", "allow_axis_skip")
	case "Interpolate":
		return !is("mode", "bilinear_pillow", "") && !is("mode", "bicubic_pillow", "") && o.interpolate(layer) && set("opset4")
	case "Slice":
		return o.slice(layer) && set("opset1")
	}
	return false
}

// gather makes the indices of a Gather count from the start of the axis, if they are constant.
func (o *v10Graph) gather(layer *ir.Layer) bool {
	indices, ok := constInts(layer, 1)
	switch {
	case !ok:
		return false
	case notNegative(layer, 1):
		return true
	}
	axis, ok := constInts(layer, 2)
	shape := o.shape(layer, 0)
	if !ok || len(axis) != 1 {
		return false
	}
	if axis[0] < 0 {
		axis[0] += int64(shape.Rank())
	}
	if axis[0] < 0 || axis[0] >= int64(shape.Rank()) {
		return false
	}
	length := shape.At(int(axis[0])).Min
	for i, index := range indices {
		if index < 0 {
			indices[i] += length
		}
		if indices[i] < 0 || indices[i] >= length {
			return false // they give zeros since opset8
		}
	}
	was := layer.Inputs[1].Source.Constant
	o.Connect(&layer.Inputs[1], o.Ints(layer, "indices", was.ElementType(), was.Shape(), indices...))
	layer.Inputs[1].Declared = ir.UnknownRank // that of the Constant
	return true
}

// sameCeil reports whether the rounding ceil gives a pooling with ceil_torch the same windows. It
// does unless a window would start behind the data.
func (o *v10Graph) sameCeil(layer *ir.Layer) bool {
	attributes := ir.AttributesOf(layer)
	kernel, strides := attributes.Ints("kernel"), attributes.Ints("strides")
	begin, end := attributes.Ints("pads_begin"), attributes.Ints("pads_end")
	n := len(kernel)
	data := o.shape(layer, 0).Dims()
	if len(layer.Outputs) == 0 {
		return false
	}
	_, result := outputFact(o.shapes, layer, 0)
	out := result.Dims()
	if attributes.Err() != nil || !strings.EqualFold(attributes.String("auto_pad", "explicit"), "explicit") ||
		len(strides) != n || len(begin) != n || len(end) != n || len(data) != n+2 || len(out) != n+2 {
		return false
	}
	for i := range n {
		padded := data[i+2].Min + begin[i] + end[i]
		if strides[i] <= 0 || padded < kernel[i] || (padded-kernel[i]+strides[i]-1)/strides[i]+1 != out[i+2].Min {
			return false
		}
	}
	return true
}

// interpolate gives an Interpolate both sizes and scales. The attribute shape_calculation_mode says
// which count.
func (o *v10Graph) interpolate(layer *ir.Layer) bool {
	if len(layer.Inputs) < 2 || len(layer.Outputs) == 0 {
		return false
	}
	_, out := outputFact(o.shapes, layer, 0)
	axes := allAxes(out.Rank())
	if len(layer.Inputs) > 2 {
		var ok bool
		if axes, ok = constInts(layer, 2); !ok {
			return false
		}
	}
	given := edit.SourceOf(layer.Inputs[1])
	inputs := []edit.Source{edit.SourceOf(layer.Inputs[0]), given, given}
	if strings.EqualFold(ir.AttributesOf(layer).String("shape_calculation_mode", ""), "sizes") {
		scales := make([]float32, len(axes))
		for i := range scales {
			scales[i] = 1
		}
		value, err := ir.TensorOf(ir.F32, ir.Shape{len(scales)}, scales)
		if err != nil {
			return false
		}
		inputs[2] = edit.First(o.Constant(layer, "scales", value))
	} else {
		sizes := make([]int64, len(axes))
		for i, axis := range axes {
			if axis < 0 {
				axis += int64(out.Rank())
			}
			if axis < 0 || axis >= int64(out.Rank()) {
				return false
			}
			sizes[i] = out.At(int(axis)).Min
		}
		inputs[1] = o.Ints(layer, "sizes", ir.I64, ir.Shape{len(sizes)}, sizes...)
	}
	if len(layer.Inputs) > 2 {
		inputs = append(inputs, edit.SourceOf(layer.Inputs[2]))
	}
	o.SetInputs(layer, inputs...)
	return true
}

// slice makes a StridedSlice of a Slice with constant numbers and positive steps.
func (o *v10Graph) slice(layer *ir.Layer) bool {
	starts, ok1 := constInts(layer, 1)
	stops, ok2 := constInts(layer, 2)
	steps, ok3 := constInts(layer, 3)
	shape := o.shape(layer, 0)
	axes := allAxes(len(starts))
	if !shape.RankKnown() {
		return false
	}
	if len(layer.Inputs) > 4 {
		var ok bool
		if axes, ok = constInts(layer, 4); !ok {
			return false
		}
	}
	if !ok1 || !ok2 || !ok3 || len(stops) != len(starts) || len(steps) != len(starts) || len(axes) != len(starts) {
		return false
	}
	begins, ends, strides := make([]int64, shape.Rank()), make([]int64, shape.Rank()), make([]int64, shape.Rank())
	for axis, d := range shape.Dims() {
		ends[axis], strides[axis] = d.Min, 1
	}
	for i, axis := range axes {
		if axis < 0 {
			axis += int64(shape.Rank())
		}
		if axis < 0 || axis >= int64(shape.Rank()) || steps[i] <= 0 {
			return false
		}
		length := shape.At(int(axis)).Min
		begins[axis], ends[axis], strides[axis] = clipped(starts[i], length), clipped(stops[i], length), steps[i]
		if begins[axis] >= ends[axis] {
			return false // a StridedSlice could read it otherwise
		}
	}
	zeros := strings.TrimSuffix(strings.Repeat("0, ", shape.Rank()), ", ")
	inputs := []edit.Source{edit.SourceOf(layer.Inputs[0])}
	for _, list := range []struct {
		name   string
		values []int64
	}{{"begin", begins}, {"end", ends}, {"strides", strides}} {
		inputs = append(inputs, o.Ints(layer, list.name, ir.I64, ir.Shape{shape.Rank()}, list.values...))
	}
	o.SetInputs(layer, inputs...)
	layer.Type = "StridedSlice"
	layer.Data = edit.Attributes("begin_mask", zeros, "end_mask", zeros, "new_axis_mask", zeros, "shrink_axis_mask", zeros, "ellipsis_mask", zeros)
	return true
}

// clipped returns a start or a stop on an axis of the given length, which counts from the end if it
// is negative.
func clipped(at, length int64) int64 {
	if at < 0 {
		at += length
	}
	return min(max(at, 0), length)
}

// allAxes returns 0, 1, ..., n-1.
func allAxes(n int) []int64 {
	axes := make([]int64, n)
	for i := range axes {
		axes[i] = int64(i)
	}
	return axes
}

// constInts returns the elements of input i of layer, if it is a Constant of integers.
func constInts(layer *ir.Layer, i int) ([]int64, bool) {
	if i >= len(layer.Inputs) || layer.Inputs[i].Source.Constant == nil {
		return nil, false
	}
	list, err := layer.Inputs[i].Source.Constant.Ints()
	return list, err == nil
}

// notNegative reports whether input i of layer is a Constant of integers and none of them is
// negative.
func notNegative(layer *ir.Layer, i int) bool {
	list, ok := constInts(layer, i)
	return ok && !slices.ContainsFunc(list, func(v int64) bool { return v < 0 })
}

func allOnes(list []int64) bool {
	return !slices.ContainsFunc(list, func(v int64) bool { return v != 1 })
}
