package irxml

import (
	"cmp"
	"errors"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// meanChannel is a channel element of pre-process: a mean value, or the range in the .bin with
// a mean for each position of the channel.
type meanChannel struct {
	channel uint64
	value   float64
	blob    ir.ConstRange
}

// preProcess applies the pre-process element: it inserts a Subtract of the mean values between
// a Parameter and its readers.
func (r *reader) preProcess(g *graph, editor *edit.Editor) error {
	if g.preProcess == nil {
		return nil
	}
	if err := r.subtractMean(g, editor, g.preProcess); err != nil {
		return &ir.FormatError{Err: faults.Errorf("pre-process: %w", err)}
	}
	return nil
}

func (r *reader) subtractMean(g *graph, editor *edit.Editor, e *etree.Element) error {
	p, err := g.preProcessed(strings.TrimSpace(e.SelectAttrValue("reference-layer-name", "")))
	if err != nil {
		return err
	}
	if len(p.Outputs) == 0 {
		return faults.Errorf("the Parameter %q has no output port", p.Name)
	}
	attributes := ir.AttributesOf(p)
	t := attributes.ElementType("element_type", ir.Dynamic)
	shape := attributes.PartialShape("shape", ir.PartialShape{})
	if err := attributes.Err(); err != nil {
		return err
	}
	dims, err := shape.Static()
	if err != nil {
		return faults.Errorf("the Parameter %q: %w", p.Name, err)
	}
	rank := len(dims)
	if rank < 2 || rank > 5 {
		return faults.Errorf("the Parameter %q has shape %v, expected rank 2 to 5", p.Name, dims)
	}
	// The layouts are NC, CHW, NCHW and NCDHW.
	channelAxis := 1
	if rank == 3 {
		channelAxis = 0
	}
	values, blobs, err := meanChannels(e)
	if err != nil || len(values)+len(blobs) == 0 {
		return err
	}
	if len(values) > 0 && len(blobs) > 0 {
		return errors.New("some channels have a mean value, others a range of the .bin")
	}
	channels, plane := dims[channelAxis], dims[channelAxis+1:]
	if n := len(values) + len(blobs); n != channels {
		return faults.Errorf("%d channels have a mean, Parameter %q has %d (shape %v)", n, p.Name, channels, dims)
	}
	for _, c := range append(values, blobs...) {
		if c.channel >= uint64(channels) {
			return faults.Errorf("channel %d is out of range, Parameter %q has %d", c.channel, p.Name, channels)
		}
	}
	meanShape := append(ir.Shape{channels}, plane...)
	var mean *ir.Tensor
	if len(values) > 0 {
		for i := range plane {
			meanShape[1+i] = 1
		}
		mean, err = meanOfValues(t, meanShape, values)
	} else {
		mean, err = r.weights.meanOfBlobs(t, meanShape, blobs)
	}
	if err != nil {
		return err
	}
	insertSubtract(editor, p, t, meanShape, mean)
	return nil
}

// preProcessed returns the Parameter with the given name. If name is empty, it returns the
// first Parameter of rank 4 or, if there is none, the first Parameter.
func (g *graph) preProcessed(name string) (*ir.Layer, error) {
	for _, p := range g.model.Parameters {
		if name != "" && p.Name == name {
			return p, nil
		}
		if name == "" && ir.AttributesOf(p).PartialShape("shape", ir.PartialShape{}).Rank() == 4 {
			return p, nil
		}
	}
	if name != "" || len(g.model.Parameters) == 0 {
		return nil, faults.Errorf("there is no Parameter %q", name)
	}
	return g.model.Parameters[0], nil
}

// meanChannels reads the channel elements. It returns those with values and those with ranges
// of the .bin, without repeated ones.
func meanChannels(e *etree.Element) (values, blobs []meanChannel, err error) {
	next := uint64(0)
	for _, element := range e.SelectElements("channel") {
		c := meanChannel{channel: next}
		next++
		if text := element.SelectAttr("id"); text != nil {
			if c.channel, err = parseUint([]byte(text.Value)); err != nil {
				return nil, nil, faults.Errorf("id of <channel>: %w", err)
			}
		}
		mean := element.SelectElement("mean")
		if mean == nil {
			continue
		}
		value, offset, size := mean.SelectAttr("value"), mean.SelectAttr("offset"), mean.SelectAttr("size")
		if value == nil && size == nil {
			return nil, nil, faults.Errorf("<mean> of channel %d has neither value nor size", c.channel)
		}
		if value != nil {
			if c.value, err = strconv.ParseFloat(strings.TrimSpace(value.Value), 64); err != nil {
				return nil, nil, faults.Errorf("<mean> of channel %d: value %q is not a number", c.channel, value.Value)
			}
			values = append(values, c)
		}
		if offset != nil && size != nil {
			if c.blob.Offset, err = parseUint([]byte(offset.Value)); err == nil {
				c.blob.Size, err = parseUint([]byte(size.Value))
			}
			if err != nil {
				return nil, nil, faults.Errorf("<mean> of channel %d: %w", c.channel, err)
			}
			c.value = 0
			blobs = append(blobs, c)
		}
	}
	return distinct(values), distinct(blobs), nil
}

// distinct sorts list and removes repeated elements.
func distinct(list []meanChannel) []meanChannel {
	// Unlike slices.SortFunc, sort.SliceStable has no instance of its own for each type.
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(a.channel, b.channel), cmp.Compare(a.value, b.value),
			cmp.Compare(a.blob.Size, b.blob.Size), cmp.Compare(a.blob.Offset, b.blob.Offset)) < 0
	})
	return slices.Compact(list)
}

// meanOfValues returns a tensor of shape with one mean value for each channel.
func meanOfValues(t ir.ElementType, shape ir.Shape, channels []meanChannel) (*ir.Tensor, error) {
	values := make([]float64, shape[0])
	for _, c := range channels {
		values[c.channel] = c.value
	}
	tensor, err := ir.NewTensor(t, shape...)
	if err != nil {
		return nil, err
	}
	switch t {
	case ir.F64:
		copy(ir.Data[float64](tensor), values)
	case ir.F32:
		for i, v := range values {
			ir.Data[float32](tensor)[i] = float32(v)
		}
	case ir.F16:
		for i, v := range values {
			ir.Data[uint16](tensor)[i] = half.F32ToF16(float32(v))
		}
	case ir.BF16:
		for i, v := range values {
			ir.Data[half.BFloat16](tensor)[i] = half.BFloat16Of(float32(v))
		}
	default:
		ints := make([]int64, len(values))
		for i, v := range values {
			ints[i] = int64(v)
		}
		return ir.TensorOfInts(t, shape, ints)
	}
	return tensor, nil
}

// meanOfBlobs returns a tensor of shape with the means of all channels and positions, from the
// .bin. It returns nil if the model is read without the .bin.
func (w *weights) meanOfBlobs(t ir.ElementType, shape ir.Shape, channels []meanChannel) (*ir.Tensor, error) {
	size, err := ir.ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	if t.Size() == 0 {
		return nil, faults.Errorf("element type %v has no whole number of bytes, which mean values need", t)
	}
	if w.noBin {
		return nil, nil
	}
	if w.size < 0 {
		return nil, w.absent()
	}
	if err := w.reserve(size); err != nil {
		return nil, err
	}
	data := ir.AlignedBytes(size)
	plane := size / shape[0]
	for _, c := range channels {
		if c.blob.Size != uint64(plane) {
			return nil, faults.Errorf("the mean of channel %d has %d bytes, expected %d", c.channel, c.blob.Size, plane)
		}
		if total := uint64(w.size); c.blob.Offset > total || c.blob.Size > total-c.blob.Offset {
			return nil, faults.Errorf("the mean of channel %d is at offset %d, size %d: outside of the .bin, which has %d bytes",
				c.channel, c.blob.Offset, c.blob.Size, total)
		}
		copy(data[int(c.channel)*plane:], w.data[c.blob.Offset:c.blob.Offset+c.blob.Size])
	}
	return ir.TensorOfBytes(t, shape, w.normalise(t, data))
}

// insertSubtract inserts a Subtract of mean between p and its readers. mean is nil if the model
// is read without the .bin.
func insertSubtract(e *edit.Editor, p *ir.Layer, t ir.ElementType, shape ir.Shape, mean *ir.Tensor) {
	readers := slices.Clone(e.Readers(edit.First(p)))
	constant := e.MissingConstant(p, "mean", t, shape)
	constant.Constant = mean
	subtract := e.Insert(p, "subtract_mean", "Subtract", "opset1", nil, edit.First(p), edit.First(constant))
	subtract.Outputs[0].DeclaredType, subtract.Outputs[0].Declared = t, p.Outputs[0].Declared
	for _, in := range readers {
		e.Connect(in, edit.First(subtract))
	}
}
