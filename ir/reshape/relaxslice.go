package reshape

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// sliceMasks are the names of the masks of a StridedSlice.
var sliceMasks = [...]string{"begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask"}

const (
	beginMask = iota
	endMask
	newAxisMask
	shrinkAxisMask
	ellipsisMask
)

// slicing describes a StridedSlice whose begin and end are constant and whose strides are 1. It
// has no new axes and no ellipsis. begin, end and masks have an entry for each of the leading
// axes.
type slicing struct {
	begin, end []int64
	masks      [len(sliceMasks)][]int64
}

// slicingOf returns the slicing of slice. It returns false if slice is not of this kind or
// removes axes.
func slicingOf(slice *ir.Layer) (*slicing, bool) {
	s := new(slicing)
	var known [2]bool
	s.begin, known[0] = constantInts(slice, 1)
	s.end, known[1] = constantInts(slice, 2)
	if !known[0] || !known[1] || len(s.begin) != len(s.end) {
		return nil, false
	}
	if len(slice.Inputs) > 3 {
		strides, known := constantInts(slice, 3)
		if !known || slices.ContainsFunc(strides, func(n int64) bool { return n != 1 }) {
			return nil, false
		}
	}
	a := ir.AttributesOf(slice)
	for i, name := range sliceMasks {
		s.masks[i] = a.Ints(name)
		set := slices.ContainsFunc(s.masks[i], func(n int64) bool { return n != 0 })
		if i >= newAxisMask && set || i < newAxisMask && len(s.masks[i]) != len(s.begin) {
			return nil, false
		}
		if i >= newAxisMask {
			s.masks[i] = make([]int64, len(s.begin))
		}
	}
	return s, a.Err() == nil
}

// grow extends s to n axes. The added axes are taken whole.
func (s *slicing) grow(n int) {
	for len(s.begin) < n {
		s.insert(len(s.begin), 0, 0, 1, 0)
	}
}

// insert inserts an axis at i. whole is its begin mask and end mask, shrink its shrink mask.
func (s *slicing) insert(i int, begin, end, whole, shrink int64) {
	s.begin, s.end = insert(s.begin, i, begin), insert(s.end, i, end)
	for m := range s.masks {
		value := int64(0)
		switch m {
		case beginMask, endMask:
			value = whole
		case shrinkAxisMask:
			value = shrink
		}
		s.masks[m] = insert(s.masks[m], i, value)
	}
}

// setSlicing turns layer into a StridedSlice of data.
func (r *relaxer) setSlicing(layer *ir.Layer, data edit.Source, s *slicing) {
	strides := make([]int64, len(s.begin))
	for i := range strides {
		strides[i] = 1
	}
	r.SetInputs(layer, data, r.vector(layer, "begin", s.begin...), r.vector(layer, "end", s.end...), r.vector(layer, "strides", strides...))
	layer.Data = nil
	for i, mask := range s.masks {
		texts := make([]string, len(mask))
		for k, n := range mask {
			texts[k] = strconv.FormatInt(n, 10)
		}
		layer.Data = append(layer.Data, ir.Attribute{Name: sliceMasks[i], Value: strings.Join(texts, ",")})
	}
	layer.Type, layer.FileType, layer.Opset = "StridedSlice", "StridedSlice", "opset1"
}

// squeezedAxes returns the axes that squeeze removes from an input of the given rank, in
// ascending order. A rank of -1 is unknown. squeezedAxes returns false if the axes are not
// known.
func squeezedAxes(squeeze *ir.Layer, rank int) ([]int64, bool) {
	axes, known := constantInts(squeeze, 1)
	if !known || len(axes) == 0 || opsetNumber(squeeze) >= 15 {
		return nil, false
	}
	for i := range axes {
		if axes[i] < 0 && rank >= 0 {
			axes[i] += int64(rank)
		}
		if axes[i] < 0 || axes[i] >= ir.MaxRank || rank >= 0 && axes[i] >= int64(rank) {
			return nil, false
		}
	}
	// Unlike slices.Sort, sort.SliceStable has no instance of its own for each type.
	sort.SliceStable(axes, func(i, j int) bool { return axes[i] < axes[j] })
	return axes, len(slices.Compact(slices.Clone(axes))) == len(axes)
}

// squeezeBeforeSlice merges a Squeeze into the StridedSlice that is its only reader. The
// StridedSlice then takes the first element of each squeezed axis.
func (r *relaxer) squeezeBeforeSlice(readers []int) func(*ir.Layer) {
	return func(slice *ir.Layer) {
		squeeze := source(slice, 0, "Squeeze", 1)
		if squeeze == nil || len(squeeze.Inputs) != 2 || readers[r.class(squeeze).Index] != 1 {
			return
		}
		axes, ok := squeezedAxes(squeeze, r.shape(squeeze.Inputs[0]).Rank())
		if !ok {
			return
		}
		s, ok := slicingOf(slice)
		if !ok {
			return
		}
		for _, axis := range axes {
			s.grow(int(axis))
			s.insert(int(axis), 0, 1, 0, 1)
		}
		r.setSlicing(slice, edit.SourceOf(squeeze.Inputs[0]), s)
	}
}

// squeezeBehindSlice merges a StridedSlice into the Squeeze that is its only reader. The
// Squeeze becomes a StridedSlice that takes one element of each squeezed axis.
func (r *relaxer) squeezeBehindSlice(readers []int) func(*ir.Layer) {
	return func(squeeze *ir.Layer) {
		slice := source(squeeze, 0, "StridedSlice", 1)
		if slice == nil || readers[r.class(slice).Index] != 1 {
			return
		}
		rank := r.rankOf(slice)
		axes, ok := squeezedAxes(squeeze, rank)
		if !ok || rank < 0 || len(squeeze.Inputs) != 2 {
			return
		}
		s, ok := slicingOf(slice)
		if !ok || len(s.begin) > rank {
			return
		}
		s.grow(rank)
		for _, axis := range axes {
			switch {
			case s.masks[beginMask][axis] != 0:
				s.begin[axis], s.end[axis] = 0, 1
				s.masks[beginMask][axis], s.masks[endMask][axis] = 0, 0
			case s.begin[axis] == -1:
				s.masks[endMask][axis] = 1
			default:
				s.end[axis] = s.begin[axis] + 1
				s.masks[endMask][axis] = 0
			}
			s.masks[shrinkAxisMask][axis] = 1
		}
		r.setSlicing(squeeze, edit.SourceOf(slice.Inputs[0]), s)
	}
}

// cropScales reduces the scales of a Proposal to those of the first image, if they are the
// elements of a Parameter with the image information of all images.
func (r *relaxer) cropScales(proposal *ir.Layer) {
	reshape := source(proposal, 2, "Reshape", 1)
	if reshape == nil || len(proposal.Inputs) != 3 || !isConstant(reshape, 1) || r.rankOf(reshape) != 1 {
		return
	}
	from := reshape.Inputs[0]
	if is(from.Source, "Convert", 1) && len(from.Source.Inputs) == 1 {
		from = from.Source.Inputs[0]
	}
	info := r.shape(from)
	if from.Source.Type != "Parameter" || info.Rank() != 2 || info.At(1) != ir.Dim(3) && info.At(1) != ir.Dim(4) {
		return
	}
	masks := edit.Attributes("begin_mask", "0", "end_mask", "0", "new_axis_mask", "", "shrink_axis_mask", "", "ellipsis_mask", "")
	r.read(proposal, 2, r.insert(proposal, "scales", "StridedSlice", "opset1", masks, edit.SourceOf(proposal.Inputs[2]),
		r.vector(proposal, "scales/begin", 0), r.vector(proposal, "scales/end", info.At(1).Min), r.vector(proposal, "scales/strides", 1)))
}

// insert returns list with v before element i, in memory of its own.
func insert(list []int64, i int, v int64) []int64 {
	return append(append(append(make([]int64, 0, len(list)+1), list[:i]...), v), list[i:]...)
}
