package adaptivepool

import (
	"math"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

type number interface {
	~int32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// placesOf returns the output of positions, if there is one.
func placesOf(r *ops.Run) window.Places {
	if len(r.Outputs) < 2 {
		return window.Places{}
	}
	return window.PlacesOf(r.Outputs[1])
}

// maxPlanes computes the maxima of planes lo to hi-1, and their positions. It ends early if the
// work must stop.
func maxPlanes[T number](stop parallel.Stop, g *geometry, output []T, places window.Places, data []T, lo, hi int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	var columns maxColumns
	floats, keyed := any(data).([]float32)
	keyed = keyed && x.input <= len(columns) && g.input() <= maxKeyed
	at := lo * g.output()
	meter := stop.Meter()
	for plane := lo; plane < hi; plane++ {
		base := plane * g.input()
		in := data[base:][:g.input()]
		for oz := range z.output {
			z0, z1 := z.part(oz)
			for oy := range y.output {
				y0, y1 := y.part(oy)
				b := box{first: (z0*y.input + y0) * x.input, planes: z1 - z0, rows: y1 - y0, columns: x.input, pitch: x.input, volume: y.input * x.input}
				known := keyed && columns.set(&meter, floats[base:][:g.input()], &b)
				for _, part := range g.columns {
					place := 0
					if known {
						place = columns.place(part)
					} else {
						place = firstMax(&meter, in, b.part(part))
					}
					if place < 0 {
						return
					}
					output[at] = in[place]
					if places.Wanted() {
						places.Set(at, place)
					}
					at++
				}
			}
		}
	}
}

// box is a part of a tensor of three axes. Rows start pitch elements after each other, and planes
// volume elements.
type box struct{ first, planes, rows, columns, pitch, volume int }

// part returns the box of some of the columns.
func (b box) part(s span) box {
	b.first, b.columns = b.first+s.lo, s.hi-s.lo
	return b
}

// firstMax returns the index of the greatest element of a box: of the first NaN if there is one,
// and otherwise of the first of equal elements. It returns -1 if it was stopped.
func firstMax[T number](meter *parallel.Meter, in []T, b box) int {
	place := b.first
	best := in[place]
	for z := range b.planes {
		for y := range b.rows {
			row := b.first + z*b.volume + y*b.pitch
			for x := 0; x < b.columns; x += rowPiece {
				end := min(x+rowPiece, b.columns)
				if meter.Spent(end - x + 8) {
					return -1
				}
				for i, v := range in[row+x : row+end] {
					// The first NaN is taken. No element replaces it.
					if !(v <= best) && best == best {
						best, place = v, row+x+i
					}
				}
			}
		}
	}
	return place
}

// maxColumns holds the maxima of the columns of a box. The upper half of an entry has the order of
// the numbers, and the lower half the reverse order of the places, so that finding the first
// maximum needs no branches that depend on the data.
type maxColumns [1 << 9]int64

// maxKeyed is the greatest number of elements of a plane whose maxima are found by keys: no check
// of the Stop is between them.
const maxKeyed = 1 << 18

// set computes the maxima of columns. It returns false if one is NaN or if it was stopped.
func (m *maxColumns) set(meter *parallel.Meter, in []float32, b *box) bool {
	if meter.Spent(b.planes * b.rows * (b.columns + 4)) {
		return false
	}
	if done, known := m.vectorSet(in, b); done {
		return known
	}
	columns := m[:b.columns]
	for i := range columns {
		columns[i] = math.MinInt64
	}
	const infinity = 0x7f800000 // NaN is beyond it
	least, greatest := int32(infinity), int32(^infinity)
	for z := range b.planes {
		for y := range b.rows {
			first := b.first + z*b.volume + y*b.pitch
			row := in[first:][:len(columns)]
			for i, v := range row {
				bits := int32(math.Float32bits(v + 0)) // -0 becomes 0
				bits ^= int32(uint32(bits>>31) >> 1)   // descending negative numbers
				least, greatest = min(least, bits), max(greatest, bits)
				columns[i] = max(columns[i], int64(bits)<<32|int64(math.MaxInt32-first-i))
			}
		}
	}
	return least >= ^infinity && greatest <= infinity
}

// place returns the place of the maximum of some of the columns.
func (m *maxColumns) place(s span) int {
	best := int64(math.MinInt64)
	for _, key := range m[s.lo:s.hi] {
		best = max(best, key)
	}
	return math.MaxInt32 - int(best&math.MaxUint32)
}
