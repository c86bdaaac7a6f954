package cpu

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDisable(t *testing.T) {
	for _, f := range Features() {
		before := f.Available()
		outer := f.Disable()
		inner := f.Disable()
		assert.False(t, f.Available(), "%v", f)
		inner()
		assert.False(t, f.Available(), "%v is still disabled once", f)
		outer()
		assert.Equal(t, before, f.Available(), "%v", f)
	}
}

func TestDistinct(t *testing.T) {
	all := Features()
	assert.Equal(t, [][]*Feature{nil}, Distinct([][]*Feature{nil, {}, nil}), "each leaves all features")
	for _, f := range all {
		want := [][]*Feature{nil}
		if f.Available() {
			want = append(want, []*Feature{f})
		}
		assert.Equal(t, want, Distinct([][]*Feature{nil, {f}, {f}}), "%v", f)
	}
	defer Disable(all...)()
	assert.Equal(t, [][]*Feature{all}, Distinct([][]*Feature{all, nil}), "none is left")
}

func TestFeaturesImplyOthers(t *testing.T) {
	if AVX512VNNI.Available() || AVX512VPOPCNTDQ.Available() {
		assert.True(t, AVX512.Available())
	}
	if AVX512.Available() || AVXVNNI.Available() {
		assert.True(t, FMA.Available())
	}
	if FMA.Available() {
		assert.True(t, AVX2.Available())
	}
}

// TestL2 checks that the size is plausible.
func TestL2(t *testing.T) {
	assert.GreaterOrEqual(t, L2, 64<<10)
	assert.LessOrEqual(t, L2, 1<<28)
	assert.Zero(t, L2%1024)
}
