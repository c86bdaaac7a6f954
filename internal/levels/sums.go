package levels

// Sum describes the sums of two levels, a and b, each times a scale:
//
//	(Shift + a*Scale[0]) + b*Scale[1]
//
// The assembly depends on the layout.
type Sum struct {
	Scale  [2]float32
	Shift  float32
	Lo, Hi float32 // limits of SumCodes, of 0 to 255
}

// sumBlock is the number of sums that are computed at a time where there is no assembly for them.
const sumBlock = 512

// Sums sets out to the sums of the levels a and b, which must be as long as out.
func Sums(out []float32, a, b []uint8, of *Sum) {
	a, b = a[:len(out)], b[:len(out)]
	n := vectorSums(out, a, b, of)
	out, a, b = out[n:], a[n:], b[n:]
	var block [sumBlock]float32
	for len(out) > 0 {
		n := min(len(out), sumBlock)
		Values(out[:n], a[:n], of.Shift, of.Scale[0])
		Values(block[:n], b[:n], 0, of.Scale[1])
		for i, v := range block[:n] {
			out[i] += v
		}
		out, a, b = out[n:], a[n:], b[n:]
	}
}

// SumCodes sets out to the sums of a and b, which must be as long as out, clamped to Lo and Hi, and
// rounded to integers, halves to even. NaN becomes Lo. out may be a or b.
func SumCodes(out, a, b []uint8, of *Sum) {
	a, b = a[:len(out)], b[:len(out)]
	n := vectorSumCodes(out, a, b, of)
	out, a, b = out[n:], a[n:], b[n:]
	var block [sumBlock]float32
	for len(out) > 0 {
		n := min(len(out), sumBlock)
		x := block[:n]
		Sums(x, a[:n], b[:n], of)
		for i, v := range x {
			if !(v > of.Lo) { // NaN too
				x[i] = of.Lo
			}
		}
		Codes(out[:n], x, 1, 0, of.Hi)
		out, a, b = out[n:], a[n:], b[n:]
	}
}
