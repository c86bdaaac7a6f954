package winograd

import (
	"github.com/vinoir/vinoir/internal/conv"
)

// weightTiles returns the approximate cost of loading a transformed weight, as the number of tiles
// that could be multiplied by it in that time. The cost is higher if the weights do not fit in a
// cache. It includes a price for the memory that they occupy.
func (s *Shape) weightTiles() float64 {
	const cached = 4 << 20 / (36 * 4) // pairs of channels
	if s.In > cached/s.Out {
		return 12
	}
	return 4
}

// bestTile returns the better m, 4 or 2. 4 saves more products, but its weights are more than twice
// as large, and its tiles extend further beyond the output.
func (s *Shape) bestTile() int {
	cost := func(m int) float64 {
		tiles := float64(s.Batch) * float64(conv.CeilDiv(s.Y.Output, m)) * float64(conv.CeilDiv(s.X.Output, m))
		return float64((m+2)*(m+2)) * (tiles + s.weightTiles())
	}
	if cost(4) <= cost(2) {
		return 4
	}
	return 2
}

// A transform costs inputCost or outputCost products for each of its elements. The plan is worth
// its rounding errors and the memory for the transformed weights only if the direct sum has at
// least about leastProducts products and is slower by the factor leastGain.
const (
	inputCost, outputCost = 10, 8
	leastGain             = 1.15
	leastProducts         = 1 << 20
)

// Pays reports whether the plan of New is expected to be clearly faster than the
// direct sum. It returns false if there is no plan for shape.
func Pays(shape Shape) bool { return Gain(shape) >= leastGain }

// Gain returns how many times as long as the plan of New the direct sum in float32 is expected to
// take; 0 if there is no plan for shape, or too little to do.
func Gain(shape Shape) float64 {
	shape, _, ok := shape.flat()
	if !ok {
		return 0
	}
	m := shape.bestTile()
	y, x := conv.CeilDiv(shape.Y.Output, m), conv.CeilDiv(shape.X.Output, m)
	in, out := float64(shape.In), float64(shape.Out)
	pixels := float64(shape.Batch) * float64(shape.Y.Output) * float64(shape.X.Output)
	elements, tiles := float64((m+2)*(m+2)), float64(shape.Batch)*float64(y)*float64(x)
	direct := 9 * (pixels + shape.weightTiles()) * in * out
	if direct < leastProducts {
		return 0
	}
	// A vector that is partly filled with tiles costs as much as a full one.
	transforms := tiles*outputCost*out + tiles/float64(x)*float64(max(x, 4))*inputCost*in
	return direct / (elements * ((tiles+shape.weightTiles())*in*out + transforms))
}
