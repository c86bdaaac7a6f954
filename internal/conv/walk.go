package conv

import "slices"

// walk is how windows go over one axis of the input: element k of output o's window
// is element o*stride + offsets[k], and 0 outside of the input.
type walk struct {
	input, output, stride int
	offsets               []int
}

// newWalk returns the walk of a window.
func newWalk(a *Axis) walk {
	w := walk{input: a.Input, output: a.Output, stride: a.Stride}
	for k := range a.Kernel {
		w.offsets = append(w.offsets, a.At(0, k))
	}
	return w
}

// same reports whether output o is made of input o alone, for the whole axis.
func (w *walk) same() bool {
	return len(w.offsets) == 1 && w.offsets[0] == 0 && w.input == w.output && (w.stride == 1 || w.output == 1)
}

// inside reports whether all windows lie in the input.
func (w *walk) inside() bool {
	return w.output > 0 && len(w.offsets) > 0 && slices.Min(w.offsets) >= 0 &&
		(w.output-1)*w.stride+slices.Max(w.offsets) < w.input
}

// join makes one axis of two neighbours that are the same in both, as far in as it
// goes: a window of one element then has rows as long as planes.
func join(walks *[3]walk) {
	for range 2 {
		for outer := range 2 {
			a, b := &walks[outer], &walks[outer+1]
			if a.same() && b.same() {
				b.input, b.output, b.stride = a.input*b.input, a.output*b.output, 1
				*a = walk{input: 1, output: 1, stride: 1, offsets: []int{0}}
			}
		}
	}
}

// track is a part of an axis as a band holds it: every stride-th element of the
// input from first on, as many as there are outputs in the band and extra more.
// first is that for output 0.
type track struct {
	first, extra int
	at           int // where it starts in the band's axis
}

// lane is the axis of a band of up to length outputs: tracks one after the other.
// Element k of the window of the band's output o is its element o + taps[k].
type lane struct {
	tracks []track
	length int // outputs
	taps   []int
	total  int // elements
}

// newLane lays out a band. Elements of windows share a track where its outputs
// would overlap or nearly so. It gives up where the band is too large.
func newLane(w *walk, length int) lane {
	type place struct{ phase, turn, k int } // offset = turn*stride + phase
	places := make([]place, len(w.offsets))
	for k, offset := range w.offsets {
		turn := offset / w.stride
		if offset%w.stride < 0 {
			turn--
		}
		places[k] = place{offset - turn*w.stride, turn, k}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if a.phase != b.phase {
			return a.phase - b.phase
		}
		return a.turn - b.turn
	})
	l := lane{length: length, taps: make([]int, len(places))}
	start := 0 // the turn at which the last track starts
	for i, p := range places {
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
