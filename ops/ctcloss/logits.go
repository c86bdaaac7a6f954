package ctcloss

import (
	"math"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
)

// piece is the number of logits between two checks of a Stop.
const piece = 1 << 14

// rowFunc returns the logarithm of the sum of the exponentials of n logits from element i on.
// buffer has room for n logits or for a piece.
type rowFunc func(stop parallel.Stop, t *ir.Tensor, i, n int, buffer []float32) float64

// logSumExp returns the rowFunc for logits that load returns as float32, perhaps in buffer.
func logSumExp(load func(t *ir.Tensor, i, n int, buffer []float32) []float32) rowFunc {
	return func(stop parallel.Stop, t *ir.Tensor, i, n int, buffer []float32) float64 {
		if n <= piece {
			x := load(t, i, n, buffer)
			best := vmath.Max(x)
			return float64(best) + math.Log(vmath.ExpSum(buffer, x, best))
		}
		best, sum := float32(math.Inf(-1)), 0.0
		for at := 0; at < n && !stop.Requested(); at += piece {
			best = max(best, vmath.Max(load(t, i+at, min(piece, n-at), buffer)))
		}
		for at := 0; at < n && !stop.Requested(); at += piece {
			sum += vmath.ExpSum(buffer, load(t, i+at, min(piece, n-at), buffer), best)
		}
		return float64(best) + math.Log(sum)
	}
}

// logSumExp64 is the rowFunc for f64.
func logSumExp64(stop parallel.Stop, t *ir.Tensor, i, n int, _ []float32) float64 {
	x := ir.Data[float64](t)[i : i+n]
	best, sum, meter := math.Inf(-1), 0.0, stop.Meter()
	for _, v := range x {
		best = max(best, v)
	}
	for _, v := range x {
		if meter.Spent(16) {
			break
		}
		sum += math.Exp(v - best)
	}
	return best + math.Log(sum)
}
