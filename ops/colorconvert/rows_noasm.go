//go:build !amd64 || noasm

package colorconvert

type byteOrder struct{}

func newOrder(int) *byteOrder { return nil }

func (l *layout) vectorRow(_, _, _, _ []uint8, _ *byteOrder) int { return 0 }
