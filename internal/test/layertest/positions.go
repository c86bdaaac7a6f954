package layertest

// Positions returns the positions of the slice [start:stop:step] of an axis of n elements as in
// Python, with one exception: a start before the first element means that element even if step
// is negative.
func Positions(n, start, stop, step int64) []int {
	end := func(v, lo, hi int64) int64 {
		if v < 0 {
			v += n
		}
		return min(max(v, lo), hi)
	}
	var list []int
	if step > 0 {
		for i := end(start, 0, n); i < end(stop, 0, n); i += min(step, n) {
			list = append(list, int(i))
		}
		return list
	}
	for i := min(end(start, 0, n), n-1); i > end(stop, -1, n-1); i += max(step, -n-1) {
		list = append(list, int(i))
	}
	return list
}
