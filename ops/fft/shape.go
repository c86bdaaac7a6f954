package fft

import (
	"errors"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// signal holds the inputs of a transform, as far as they are known.
type signal struct {
	dims []ir.Dimension // a copy of data's without the axis of pairs; nil if the rank is unknown
	axes []int          // nil if unknown
	// hasSize reports whether there is a signal_size. sizes holds its values; nil if unknown.
	hasSize bool
	sizes   []ir.Interval
}

// signalOf checks the inputs. pairs means that the last axis of data holds complex numbers.
func signalOf(in *ops.Inference, pairs bool) (signal, error) {
	var s signal
	data, axes := &in.Inputs[0], &in.Inputs[1]
	switch data.Type {
	case ir.F32, ir.F16, ir.BF16, ir.Dynamic:
	default:
		return s, faults.Errorf("data is %v, expected f32, f16 or bf16", data.Type)
	}
	vectors := []string{"axes", "signal_size"}
	for i := range in.Inputs[1:] {
		if err := checkVector(vectors[i], &in.Inputs[1+i]); err != nil {
			return s, err
		}
	}
	if data.Shape.RankKnown() {
		var err error
		if s.dims, err = axesOfData(data.Shape, pairs); err != nil {
			return s, err
		}
		if err := s.readAxes(data.Shape, axes); err != nil {
			return s, err
		}
	}
	if len(in.Inputs) < 3 {
		return s, nil
	}
	size := &in.Inputs[2]
	if axes.Shape.IsStatic() && size.Shape.IsStatic() && axes.Shape.At(0) != size.Shape.At(0) {
		return s, faults.Errorf("axes has shape %v, signal_size has shape %v", axes.Shape, size.Shape)
	}
	s.hasSize = true
	if sizes := size.Intervals(); len(sizes) == len(s.axes) {
		s.sizes = sizes
	}
	return s, nil
}

func checkVector(name string, in *ir.Fact) error {
	if err := check.Index(name, in.Type); err != nil {
		return err
	}
	return check.Rank(name, in.Shape, 1)
}

// axesOfData returns the dimensions that can be transformed.
func axesOfData(shape ir.PartialShape, pairs bool) ([]ir.Dimension, error) {
	rank, least := shape.Rank(), 1
	if pairs {
		least = 2
	}
	if rank < least {
		return nil, faults.Errorf("data has shape %v, expected rank %d at least", shape, least)
	}
	if !pairs {
		return slices.Clone(shape.Dims()), nil
	}
	if !shape.At(rank - 1).Contains(2) {
		return nil, faults.Errorf("data has shape %v, expected the 2 of complex numbers in dimension %d", shape, rank-1)
	}
	return slices.Clone(shape.Dims()[:rank-1]), nil
}

// readAxes sets s.axes if the axes are known.
func (s *signal) readAxes(data ir.PartialShape, in *ir.Fact) error {
	if in.Shape.IsStatic() && in.Shape.At(0).Min > int64(len(s.dims)) {
		return faults.Errorf("axes has shape %v, data %v has %d axes to transform", in.Shape, data, len(s.dims))
	}
	values, known := in.Ints()
	if !known {
		return nil
	}
	s.axes = make([]int, len(values))
	for i, v := range values {
		axis, err := index.Axis(v, len(s.dims))
		if err != nil {
			return err
		}
		if slices.Contains(s.axes[:i], axis) {
			return faults.Errorf("axes %v names axis %d twice", values, axis)
		}
		s.axes[i] = axis
	}
	return nil
}

// resize sets the lengths along the axes to the sizes, or to any length if the sizes are unknown.
func (s *signal) resize() {
	for i, axis := range s.axes {
		d := &s.dims[axis]
		switch {
		case s.sizes == nil:
			*d = ir.AnyDim
		case s.sizes[i] == keep:
		case s.sizes[i].Min < 0 && s.sizes[i].Max >= -1: // may be keep
			*d = d.Relax(ir.DimOf(s.sizes[i]))
		default:
			*d = ir.DimOf(s.sizes[i])
		}
	}
}

// keep is the size that means the length of data.
var keep = ir.Interval{Min: -1, Max: -1}

// lengths returns the lengths of the output of RDFT or IRDFT, without the axis of pairs. last
// returns the length of the output along the last transformed axis, given the length d before the
// transform. sized means that signal_size sets that length.
func (s *signal) lengths(last func(d ir.Dimension, sized bool) ir.Dimension) ([]ir.Dimension, error) {
	if s.axes == nil {
		return ir.ShapeOfRank(len(s.dims)).Dims(), nil
	}
	if len(s.axes) == 0 {
		return nil, errors.New("axes is empty")
	}
	if s.hasSize {
		s.dropUnlessKnown()
		s.resize()
	}
	n := len(s.axes) - 1
	d := &s.dims[s.axes[n]]
	*d = last(*d, s.hasSize && (s.sizes == nil || s.sizes[n] != keep))
	return s.dims, nil
}

// dropUnlessKnown drops all sizes unless each is known. OpenVINO gives RDFT and IRDFT unknown
// lengths in that case.
func (s *signal) dropUnlessKnown() {
	for _, v := range s.sizes {
		if !v.Known() {
			s.sizes = nil
			return
		}
	}
}

// inferComplex is the shape rule of DFT and IDFT.
func inferComplex(in *ops.Inference) error {
	s, err := signalOf(in, true)
	if err != nil {
		return err
	}
	data, out := &in.Inputs[0], &in.Outputs[0]
	out.Type, out.Shape = data.Type, data.Shape
	if s.dims == nil || !s.hasSize {
		return nil
	}
	if s.axes == nil {
		s.dims = ir.ShapeOfRank(len(s.dims)).Dims()
	}
	s.resize()
	out.Shape = ir.ShapeOf(append(s.dims, data.Shape.At(data.Shape.Rank()-1))...)
	return nil
}

// inferReal is the shape rule of RDFT.
func inferReal(in *ops.Inference) error {
	return inferLengths(in, false, func(d ir.Dimension, _ bool) ir.Dimension {
		return ir.DimRange(kept(d.Min), kept(d.Max))
	})
}

// kept returns the number of elements that RDFT keeps of n.
func kept(n int64) int64 {
	if n == 0 || n == ir.Unbounded {
		return n
	}
	return n/2 + 1
}

// inferToReal is the shape rule of IRDFT.
func inferToReal(in *ops.Inference) error {
	return inferLengths(in, true, func(d ir.Dimension, sized bool) ir.Dimension {
		if sized {
			return d
		}
		return d.Sub(ir.Dim(1)).Mul(ir.Dim(2))
	})
}

// inferLengths is the shape rule of RDFT and IRDFT. If toReal is true, data has the axis of pairs;
// otherwise the output has it.
func inferLengths(in *ops.Inference, toReal bool, last func(d ir.Dimension, sized bool) ir.Dimension) error {
	s, err := signalOf(in, toReal)
	if err != nil {
		return err
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = in.Inputs[0].Type, ir.UnknownRank
	if s.dims == nil {
		return nil
	}
	dims, err := s.lengths(last)
	if !toReal {
		dims = append(dims, ir.Dim(2))
	}
	out.Shape = ir.ShapeOf(dims...)
	return err
}
