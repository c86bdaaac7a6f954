package sentencepiece

import (
	"bytes"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Decode appends the text of ids to dst: pieces with their spaces, without that at the start if the
// model adds one, bytes as the characters that they make, or U+FFFD for each that makes none, and
// the surface of the unknown piece. It is an error if an id is negative or beyond the pieces.
func (m *Model) Decode(dst []byte, ids []int32, s *Scratch) ([]byte, error) {
	d := m.decoding(s)
	for _, id := range ids {
		if uint64(uint32(id)) >= uint64(m.Len()) || id < 0 {
			return dst, faults.Errorf("id %d is outside of the %d pieces", id, m.Len())
		}
		if m.canonical != nil {
			id = m.canonical[id]
		}
		if err := d.add(m.Piece(id), id); err != nil {
			return dst, err
		}
	}
	return d.end(dst)
}

// DecodePieces is Decode for the texts of pieces. One that the model does not have stays as it is.
func (m *Model) DecodePieces(dst []byte, pieces [][]byte, s *Scratch) ([]byte, error) {
	d := m.decoding(s)
	for _, piece := range pieces {
		if err := d.add(piece, m.id(piece)); err != nil {
			return dst, err
		}
	}
	return d.end(dst)
}

// decoding writes the text of pieces to s.decoded.
type decoding struct {
	model             *Model
	s                 *Scratch
	pending           int // bytes at the end of s.decoded that are not checked yet
	atStart, stripped bool
}

func (m *Model) decoding(s *Scratch) decoding {
	s.start()
	s.decoded = s.decoded[:0]
	return decoding{model: m, s: s, atStart: true}
}

// add adds a piece with the id that its text has.
func (d *decoding) add(piece []byte, id int32) error {
	m, s := d.model, d.s
	if s.meter.Spent(8 + len(piece)) {
		return parallel.ErrStopped
	}
	if m.types[id] == byteValue {
		d.pending++
		return s.write([]byte{byte(byteOf(piece))})
	}
	if err := s.checkBytes(d.pending); err != nil {
		return err
	}
	d.pending = 0
	if d.stripped || len(s.decoded) > 0 {
		d.atStart = false
	}
	d.stripped = false
	switch m.types[id] {
	case control:
		return nil
	case unknown:
		if !bytes.Equal(piece, m.Piece(id)) {
			return s.write(piece)
		}
		return s.write(m.unknownSurface)
	}
	if d.atStart && m.stripped {
		var found bool
		if piece, found = bytes.CutPrefix(piece, []byte(space)); found {
			d.stripped = !m.strippedAll
		}
	}
	return s.writePiece(piece)
}

// end appends the text to dst.
func (d *decoding) end(dst []byte) ([]byte, error) {
	m, s := d.model, d.s
	if err := s.checkBytes(d.pending); err != nil {
		return dst, err
	}
	if m.denormalizer != nil {
		return m.denormalizer.Append(dst, s.decoded, &s.work)
	}
	if cap(dst)-len(dst) < len(s.decoded) {
		var err error
		if dst, err = s.grow(dst, len(s.decoded)); err != nil {
			return dst, err
		}
	}
	return append(dst, s.decoded...), nil
}

// DecodeStream appends the pieces of ids as they are, to dst, and bytes for pieces such as <0x0A>.
// Ids beyond the pieces are left out. It is an error if an id is negative.
func (m *Model) DecodeStream(dst []byte, ids []int32, s *Scratch) ([]byte, error) {
	s.start()
	for _, id := range ids {
		if id < 0 {
			return dst, faults.Errorf("id %d is negative", id)
		}
		if int(id) >= m.Len() {
			continue
		}
		piece := m.Piece(id)
		if s.meter.Spent(8 + len(piece)) {
			return dst, parallel.ErrStopped
		}
		if cap(dst)-len(dst) < len(piece) {
			var err error
			if dst, err = s.grow(dst, len(piece)); err != nil {
				return dst, err
			}
		}
		if len(piece) == 6 && string(piece[:3]) == "<0x" && piece[5] == '>' {
			dst = append(dst, byte(byteOf(piece))) // 0xFF if the digits are none
			continue
		}
		dst = append(dst, piece...)
	}
	return dst, nil
}

// write appends text to decoded.
func (s *Scratch) write(text []byte) error {
	if cap(s.decoded)-len(s.decoded) < len(text) {
		var err error
		if s.decoded, err = s.grow(s.decoded, len(text)); err != nil {
			return err
		}
	}
	s.decoded = append(s.decoded, text...)
	return nil
}

// writePiece appends a piece with its spaces.
func (s *Scratch) writePiece(piece []byte) error {
	for len(piece) > 0 {
		text, rest, found := bytes.Cut(piece, []byte(space))
		if err := s.write(text); err != nil {
			return err
		}
		if found {
			if err := s.write([]byte{' '}); err != nil {
				return err
			}
		}
		piece = rest
	}
	return nil
}

// checkBytes replaces each of the last n bytes of decoded that is not part of a character by
// U+FFFD.
func (s *Scratch) checkBytes(n int) error {
	start := len(s.decoded) - n
	if utf8.Valid(s.decoded[start:]) {
		return nil
	}
	text := bytes.Clone(s.decoded[start:])
	s.decoded = s.decoded[:start]
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		piece := text[:size]
		if r == utf8.RuneError && size == 1 {
			piece = []byte("\uFFFD")
		}
		if err := s.write(piece); err != nil {
			return err
		}
		text = text[size:]
	}
	return nil
}
