package buffers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/buffers"
)

func TestLender(t *testing.T) {
	lender := buffers.NewLender(new(buffers.Pool))
	first := lender.Get(3)
	copy(first, "abc")
	second := lender.Get(5000)
	copy(second, "def")
	require.Same(t, &second[0], &lender.Grow(second, 8192)[0])
	third := lender.Grow(second, 9000)
	require.Len(t, third, 9000)
	require.Equal(t, "def", string(third[:3]))
	require.Equal(t, "abc", string(first))
	lender.Free()
	lender.Free()
}
