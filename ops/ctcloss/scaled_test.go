package ctcloss

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScaled compares random products and sums with numbers of any size.
func TestScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		got, want := exp(0), big.NewFloat(1).SetPrec(100)
		for range 30 {
			x := -math.Exp(rng.Float64()*9 - 1)
			p, e := exp(x), bigExp(x)
			if rng.IntN(2) == 0 {
				got, want = got.times(p), want.Mul(want, e)
			} else if got = got.times(exp(-1)).plus(p); true {
				want = want.Add(want.Mul(want, bigExp(-1)), e)
			}
			require.GreaterOrEqual(t, got.m, least)
			require.Less(t, got.m, 2*most)
		}
		mantissa := new(big.Float)
		exponent := want.MantExp(mantissa)
		m, _ := mantissa.Float64()
		log := math.Log(m) + float64(exponent)*math.Ln2
		require.InDelta(t, log, got.log(), 1e-9-1e-9*log)
	}
}

// bigExp returns e^x.
func bigExp(x float64) *big.Float {
	k := math.Floor(x / math.Ln2)
	return new(big.Float).SetPrec(100).SetMantExp(big.NewFloat(math.Exp(x-k*math.Ln2)), int(k))
}

func TestScaled_zero(t *testing.T) {
	assert.Equal(t, scaled{}, exp(math.Inf(-1)))
	tiny := exp(-1e6)
	assert.Equal(t, tiny, tiny.plus(scaled{}))
	assert.Equal(t, tiny, scaled{}.plus(tiny))
	assert.Zero(t, tiny.times(scaled{}).m)
	assert.InDelta(t, -1e6, tiny.log(), 1e-6)
	assert.InDelta(t, -1e12, exp(-1e12).log(), 1)
}
