package conv

// weightTiles returns how many tiles are multiplied while a transformed weight comes
// from memory, or from a cache, more or less. Memory itself has its price as well.
func (s *WinogradShape) weightTiles() float64 {
	const cached = 4 << 20 / (36 * 4) // pairs of channels
	if s.In > cached/s.Out {
		return 12
	}
	return 4
}

// tile returns the better m: 4 saves more products, but its weights are more than
// twice those of 2, and its tiles hold more beyond the output.
func (s *WinogradShape) tile() int {
	cost := func(m int) float64 {
		tiles := float64(s.Batch) * float64(ceilDiv(s.Y.Output, m)) * float64(ceilDiv(s.X.Output, m))
		return float64((m+2)*(m+2)) * (tiles + s.weightTiles())
	}
	if cost(4) <= cost(2) {
		return 4
	}
	return 2
}

// What transforms cost, in products for each of their elements, and what is to be
// gained at least before another path's rounding, and the room for the transformed
// weights, are worth it.
const (
	inputCost, outputCost = 10, 8
	leastGain             = 1.15
	leastProducts         = 1 << 20
)

// WinogradPays reports whether NewWinograd's plan is faster than the direct sum.
func WinogradPays(shape WinogradShape) bool {
	if NewWinograd(shape, 1) == nil {
		return false
	}
	m := shape.tile()
	y, x := ceilDiv(shape.Y.Output, m), ceilDiv(shape.X.Output, m)
	in, out := float64(shape.In), float64(shape.Out)
	pixels := float64(shape.Batch) * float64(shape.Y.Output) * float64(shape.X.Output)
	elements, tiles := float64((m+2)*(m+2)), float64(shape.Batch)*float64(y)*float64(x)
	direct := 9 * (pixels + shape.weightTiles()) * in * out
	// A vector of few tiles costs as much as a full one.
	transforms := tiles*outputCost*out + tiles/float64(x)*float64(max(x, 4))*inputCost*in
	minimal := elements * ((tiles+shape.weightTiles())*in*out + transforms)
	return direct >= leastProducts && direct >= leastGain*minimal
}
