package conv

// weightTiles is how many tiles are multiplied while a transformed weight comes from
// memory, more or less.
const weightTiles = 12

// tile returns the better m: 4 saves more products, but where there are few tiles its
// weights, more than twice those of 2, decide, and what tiles hold beyond the output.
func (s *WinogradShape) tile() int {
	cost := func(m int) float64 {
		tiles := float64(s.Batch) * float64(ceilDiv(s.Y.Output, m)) * float64(ceilDiv(s.X.Output, m))
		return float64((m+2)*(m+2)) * max(tiles, weightTiles)
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
	direct := 9 * float64(shape.Batch) * float64(shape.Y.Output) * float64(shape.X.Output) * in * out
	elements := float64((m+2)*(m+2)) * float64(shape.Batch) * float64(y)
	// A vector of few tiles costs as much as a full one.
	minimal := elements * (float64(x)*(in*out+outputCost*out) + inputCost*in*float64(max(x, 4)))
	// Weights that are met by few tiles are waited for.
	if tiles := shape.Batch * y * x; tiles < weightTiles {
		minimal += float64((m+2)*(m+2)) * float64(weightTiles-tiles) * in * out
	}
	return direct >= leastProducts && direct >= leastGain*minimal
}
