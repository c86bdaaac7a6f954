package implicit

import (
	"slices"
	"sort"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/parallel"
)

// walk describes how windows move along one axis of the input. Element k of the window of output o
// is input element o*stride + offsets[k], or 0 if that is outside the input.
type walk struct {
	input, output, stride int
	offsets               []int
}

// newWalk returns the walk of the windows of an axis.
func newWalk(a *conv.Axis) walk {
	w := walk{input: a.Input, output: a.Output, stride: a.Stride}
	for k := range a.Kernel {
		w.offsets = append(w.offsets, a.At(0, k))
	}
	return w
}

// identity reports whether each output o depends on input o alone, and the output is as long as the
// input.
func (w *walk) identity() bool {
	return len(w.offsets) == 1 && w.offsets[0] == 0 && w.input == w.output && (w.stride == 1 || w.output == 1)
}

// inside reports whether all windows are inside the input.
func (w *walk) inside() bool {
	return w.output > 0 && len(w.offsets) > 0 && slices.Min(w.offsets) >= 0 &&
		(w.output-1)*w.stride+slices.Max(w.offsets) < w.input
}

// joinAxes joins neighbouring axes that are both identities into the inner one of them. With a
// window of one element, a whole plane is then one line.
func joinAxes(walks *[3]walk) {
	for range 2 {
		for outer := range 2 {
			a, b := &walks[outer], &walks[outer+1]
			if a.identity() && b.identity() {
				b.input, b.output, b.stride = a.input*b.input, a.output*b.output, 1
				*a = walk{input: 1, output: 1, stride: 1, offsets: []int{0}}
			}
		}
	}
}

// track is a part of an axis of a band. It holds every stride-th element of the input from first
// on. It has as many elements as the band has outputs, and extra more.
type track struct {
	first, extra int // first is for a band that starts at output 0
	at           int // where it starts in the axis of the band
}

// bandAxis is an axis of a band of up to length outputs: a sequence of tracks. Element k of the
// window of output o, counted in the band, is element o + taps[k] of the axis.
type bandAxis struct {
	tracks []track
	length int // outputs
	taps   []int
	total  int // elements of all tracks
}

// newBandAxis returns an axis of a band for a number of outputs. Elements of a window share a track
// if their ranges of the input overlap or touch. If the axis is too large, the result is
// incomplete and its total is more than maxMemory, as it is if stop is requested.
func newBandAxis(stop parallel.Stop, w *walk, length int) bandAxis {
	type place struct{ phase, turn, k int } // offset = turn*stride + phase
	places, meter := make([]place, len(w.offsets)), stop.Meter()
	for k, offset := range w.offsets {
		if meter.Spent(16) {
			return bandAxis{total: maxMemory + 1}
		}
		turn := offset / w.stride
		if offset%w.stride < 0 {
			turn--
		}
		places[k] = place{offset - turn*w.stride, turn, k}
	}
	// Unlike slices.SortStableFunc, sort.SliceStable has no instance of its own for each type.
	sort.SliceStable(places, func(i, j int) bool {
		if meter.Spent(8) {
			return false // equal places are sorted at once
		}
		a, b := &places[i], &places[j]
		if a.phase != b.phase {
			return a.phase < b.phase
		}
		return a.turn < b.turn
	})
	l := bandAxis{length: length, taps: make([]int, len(places))}
	start := 0 // the turn at which the last track starts
	for i, p := range places {
		if meter.Spent(16) {
			l.total = maxMemory + 1
			break
		}
		n := len(l.tracks)
		if i == 0 || places[i-1].phase != p.phase || p.turn-places[i-1].turn > length {
			start = p.turn
			l.tracks = append(l.tracks, track{first: p.turn*w.stride + p.phase, at: l.total})
			n++
			l.total += length
		}
		t := &l.tracks[n-1]
		l.total += p.turn - start - t.extra
		t.extra = p.turn - start
		l.taps[p.k] = t.at + p.turn - start
		if l.total > maxMemory {
			break // more might not fit an int
		}
	}
	return l
}
