//go:build !noasm && (amd64 || arm64)

package vmath

// boundBinary returns the function of slices for a kernel. The assembly does no bounds checks.
func boundBinary(code func(out, a, b *float32, n, rows, aStep, bStep int), m Mode) func(out, a, b []float32, n, aStep, bStep int) {
	return func(out, a, b []float32, n, aStep, bStep int) {
		if len(out) == 0 {
			return
		}
		rows := len(out) / n
		// The assembly does no bounds checks.
		aLast, bLast := n-1, n-1
		switch m {
		case ScalarA:
			aLast = 0
		case ScalarB:
			bLast = 0
		}
		_, _ = a[(rows-1)*aStep+aLast], b[(rows-1)*bStep+bLast]
		code(&out[0], &a[0], &b[0], n, rows, aStep, bStep)
	}
}

// boundUnary returns the function of slices for a kernel.
func boundUnary(code func(out, x *float32, n int, a, b float32)) func(out, x []float32, a, b float32) {
	return func(out, x []float32, a, b float32) {
		n := len(out)
		if n == 0 {
			return
		}
		_ = x[n-1] // the assembly does no bounds checks
		code(&out[0], &x[0], n, a, b)
	}
}
