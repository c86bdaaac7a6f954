package irxml_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/irxml"
)

// full is a disk that has room for a number of bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	if f.room -= n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestWrite_full writes to disks that are full after each number of bytes.
func TestWrite_full(t *testing.T) {
	m, err := irxml.Read([]byte(smallXML), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	xml, bin := &full{1 << 20}, &full{1 << 20}
	require.NoError(t, irxml.Write(context.Background(), xml, bin, m, irxml.WriteOptions{}))
	xmlBytes, binBytes := 1<<20-xml.room, 1<<20-bin.room
	require.Positive(t, binBytes)
	for n := range xmlBytes {
		assert.ErrorIs(t, irxml.Write(context.Background(), &full{n}, &full{binBytes}, m, irxml.WriteOptions{}), errFull, n)
	}
	for n := range binBytes {
		assert.ErrorIs(t, irxml.Write(context.Background(), &full{xmlBytes}, &full{n}, m, irxml.WriteOptions{}), errFull, n)
	}
	assert.NoError(t, irxml.Write(context.Background(), &full{xmlBytes}, &full{binBytes}, m, irxml.WriteOptions{}))
}
