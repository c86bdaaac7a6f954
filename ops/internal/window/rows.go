package window

// RowsAtOnce is the number of rows that AddRows adds at once. This takes a quarter of the loads
// and stores of out for each row.
const RowsAtOnce = 4

// RowPiece is the number of elements of a row that a kernel adds between two checks of a Stop.
const RowPiece = 1 << 16

// AddRow adds weight times n elements of in to out:
//
//	for i < n: out[i*outStep] += weight * in[i*inStep]
func AddRow[T float32 | float64](out, in []T, n int, weight T, outStep, inStep int) {
	if outStep == 1 && inStep == 1 {
		if out, in = out[:n], in[:n]; vectorRow(out, in, weight) {
			return
		}
		for i := range out {
			out[i] += weight * in[i]
		}
		return
	}
	for i := range n {
		out[i*outStep] += weight * in[i*inStep]
	}
}

// AddRows is AddRow for RowsAtOnce rows at once.
func AddRows[T float32 | float64](out, a, b, c, d []T, n int, weights [RowsAtOnce]T, outStep, inStep int) {
	v, w, x, y := weights[0], weights[1], weights[2], weights[3]
	if outStep == 1 && inStep == 1 {
		out, a, b, c, d = out[:n], a[:n], b[:n], c[:n], d[:n]
		if vectorRows(out, a, b, c, d, weights) {
			return
		}
		for i := range out {
			out[i] += v*a[i] + w*b[i] + x*c[i] + y*d[i]
		}
		return
	}
	for i := range n {
		j := i * inStep
		out[i*outStep] += v*a[j] + w*b[j] + x*c[j] + y*d[j]
	}
}
