package align_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
)

func TestSources(t *testing.T) {
	places, err := align.AppendText(nil, "aé\xff", &limits.Limits{})
	require.NoError(t, err)
	require.Equal(t, []align.Span{{Begin: 0, End: 1}, {Begin: 1, End: 3}, {Begin: 1, End: 3}, {Begin: 3, End: 4}}, places)

	var s align.Sources
	s.Put(1, 0, 0)
	s.Copy(3, 0)
	s.Put(2, 0, 3)
	s.Put(1, 3, 3)
	s.Put(1, 4, 4)
	s.Cut(8)
	s.Cut(7)
	got, err := s.Append([]align.Span{{Begin: 9, End: 9}}, places, 7)
	require.NoError(t, err)
	require.Equal(t, []align.Span{
		{Begin: 9, End: 9}, {Begin: 7, End: 7}, {Begin: 0, End: 1}, {Begin: 1, End: 3}, {Begin: 1, End: 3}, {Begin: 0, End: 3}, {Begin: 0, End: 3}, {Begin: 3, End: 3},
	}, got)
	s.Reset()
	got, err = s.Append(nil, nil, 0)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestJoin(t *testing.T) {
	places := []align.Span{{Begin: 2, End: 3}, {Begin: 5, End: 7}, {Begin: 3, End: 4}}
	require.Equal(t, align.Span{Begin: 2, End: 7}, align.Join(places, 0, 2))
	require.Equal(t, align.Span{Begin: 5, End: 5}, align.Join(places, 1, 3), "what was moved to the front")
	require.Equal(t, align.Span{Begin: 3, End: 3}, align.Join(places, 1, 1))
	require.Equal(t, align.Span{Begin: 2, End: 2}, align.Join(places, 0, 0))
	require.Equal(t, align.Span{}, align.Join(nil, 0, 0))
}

func TestCover(t *testing.T) {
	var c align.Cover
	for i := range 5 {
		require.NoError(t, c.Add(i, i+2))
	}
	require.Equal(t, 5, c.Len())
	c.Cut(3)
	c.Clip(1, 2)
	require.Equal(t, []align.Span{{Begin: 0, End: 2}, {Begin: 1, End: 2}, {Begin: 2, End: 2}}, c.Spans)
}

// TestNil records nothing.
func TestNil(t *testing.T) {
	var s *align.Sources
	s.Reset()
	s.Put(1, 0, 1)
	s.Copy(1, 0)
	s.Cut(0)
	var c *align.Cover
	require.NoError(t, c.Add(0, 1))
	c.Cut(0)
	require.Zero(t, c.Len())
}

// TestLimits refuses each request for memory.
func TestLimits(t *testing.T) {
	none := limits.Limits{Reserve: func(int64) error { return os.ErrClosed }}
	_, err := align.AppendText(nil, "a", &none)
	require.ErrorIs(t, err, os.ErrClosed)
	require.ErrorIs(t, (&align.Cover{Limits: none}).Add(0, 1), os.ErrClosed)
	s := &align.Sources{Limits: none}
	s.Copy(1, 0)
	s.Put(1, 0, 1)
	_, err = s.Append(nil, []align.Span{{}}, 0)
	require.ErrorIs(t, err, os.ErrClosed)
	s = &align.Sources{}
	s.Copy(1, 0)
	s.Limits = none
	_, err = s.Append(nil, []align.Span{{}}, 0)
	require.ErrorIs(t, err, os.ErrClosed)
}
