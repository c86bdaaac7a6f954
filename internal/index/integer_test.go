package index

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCheck(t *testing.T) {
	assert.Equal(t, -1, Check([]int32{0, 2, -3}, -3, 2))
	assert.Equal(t, 1, Check([]int32{0, -1}, 0, 2))
	assert.Equal(t, 2, Check([]int64{0, -3, -4}, -3, 2))
	assert.Equal(t, 0, Check([]int64{math.MinInt64}, -3, 2))
	assert.Equal(t, 0, Check([]int64{math.MaxInt64}, -3, 2))
	assert.Equal(t, -1, Check([]int64{math.MinInt64, math.MaxInt64}, math.MinInt64, math.MaxInt64))
	assert.Equal(t, -1, Check([]uint8{0, 255}, -256, 255))
	assert.Equal(t, 1, Check([]uint64{2, math.MaxUint64}, -3, 2), "the bits of -1 are no -1")
	assert.Equal(t, 1, Check([]uint64{2, 1 << 63}, math.MinInt64, math.MaxInt64))
	assert.Equal(t, 0, Check([]int8{0}, 0, -1))
	assert.Equal(t, -1, Check([]int8{}, 0, -1))
}

func TestResolve(t *testing.T) {
	assert.Equal(t, 2, Resolve(int8(2), 3, false))
	assert.Equal(t, -1, Resolve(int8(3), 3, true))
	assert.Equal(t, 2, Resolve(int8(-1), 3, true))
	assert.Equal(t, 0, Resolve(int64(-3), 3, true))
	assert.Equal(t, -1, Resolve(int64(-4), 3, true))
	assert.Equal(t, -1, Resolve(int64(-1), 3, false))
	assert.Equal(t, -1, Resolve(int64(math.MinInt64), 3, true))
	assert.Equal(t, -1, Resolve(uint64(math.MaxUint64), 3, true))
	assert.Equal(t, -1, Resolve(0, 0, true))
}
