package sentencepiece

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
)

func TestRewrite(t *testing.T) {
	data := modelOf(bpeModel, []testPiece{{"?", 0, unknown}, {"<s>", 0, control}, {"a", -1, normal}, {"b", -2, normal}}, nil, nil)
	types := func(r *Rewriting) []pieceType {
		out, err := r.Rewrite(data, nil)
		require.NoError(t, err)
		f, err := readFile(out, nil)
		require.NoError(t, err)
		require.Equal(t, "?", string(f.pieces.At(0)))
		return f.types
	}
	require.Equal(t, []pieceType{unknown, control, normal, normal}, types(&Rewriting{}))
	changed := &Rewriting{Control: map[int32]bool{0: true, 3: true, 5: true}, Added: []string{"", "x", "y"}, UnknownSurface: []byte("!")}
	require.Equal(t, []pieceType{unknown, control, normal, control, control, control, userDefined}, types(changed))
	out, err := changed.Rewrite(data, nil)
	require.NoError(t, err)
	m, err := Parse(out, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "!", string(m.unknownSurface))
	require.Equal(t, "<empty_4>", string(m.Piece(4)))
	require.True(t, m.JoinsCharacters())
	changed.Shown = true
	require.Equal(t, []pieceType{unknown, userDefined, normal, normal, control, userDefined, userDefined}, types(changed))

	_, err = changed.Rewrite(data[:len(data)-1], nil)
	require.Error(t, err)
	_, err = changed.Rewrite([]byte{0x0a, 1, 0x0a}, nil)
	require.ErrorContains(t, err, "a piece")
	stop := make(chan struct{})
	close(stop)
	long := []byte{}
	for range 1 << 14 {
		long = append(long, data...)
	}
	_, err = changed.Rewrite(long, stop)
	require.ErrorIs(t, err, parallel.ErrStopped)
}
