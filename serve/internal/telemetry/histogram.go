package telemetry

import (
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// histogram counts durations in buckets. It can be used by several goroutines.
type histogram struct {
	counts [buckets + 1]atomic.Uint64 // the last one is of those beyond all bounds
	micros atomic.Uint64
}

// buckets is the number of bounds, those of OVMS: 10 microseconds, and each 1.8 times the one
// before, up to 1470 seconds.
const buckets = 33

// bound returns the upper bound of a bucket in microseconds.
func bound(i int) float64 { return 10 * math.Pow(1.8, float64(i)) }

// bounds returns all bounds.
func bounds() []float64 {
	list := make([]float64, buckets)
	for i := range list {
		list[i] = bound(i)
	}
	return list
}

// observe counts a duration.
func (h *histogram) observe(bounds []float64, d time.Duration) {
	micros := max(d, 0).Microseconds()
	i, _ := slices.BinarySearch(bounds, float64(micros))
	h.counts[i].Add(1)
	h.micros.Add(uint64(micros))
}

// write writes the samples of the histogram into the family of e.
func (h *histogram) write(e *exposition, bounds []float64, labels ...label) {
	total := uint64(0)
	withBound := append(slices.Clone(labels), label{name: "le"})
	for i := range h.counts {
		total += h.counts[i].Load()
		withBound[len(labels)].value = "+Inf"
		if i < len(bounds) {
			withBound[len(labels)].value = strconv.FormatFloat(bounds[i], 'g', 10, 64)
		}
		e.suffixed("_bucket", float64(total), withBound...)
	}
	e.suffixed("_sum", float64(h.micros.Load()), labels...)
	e.suffixed("_count", float64(total), labels...)
}
