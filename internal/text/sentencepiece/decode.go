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
	s.start()
	s.decoded = s.decoded[:0]
	pending := 0 // bytes at the end of decoded that are not checked yet
	atStart, stripped := true, false
	for _, id := range ids {
		if uint64(uint32(id)) >= uint64(m.Len()) || id < 0 {
			return dst, faults.Errorf("id %d is outside of the %d pieces", id, m.Len())
		}
		if m.canonical != nil {
			id = m.canonical[id]
		}
		piece := m.Piece(id)
		if s.meter.Spent(8 + len(piece)) {
			return dst, parallel.ErrStopped
		}
		if m.types[id] == byteValue {
			if err := s.write([]byte{byte(byteOf(piece))}); err != nil {
				return dst, err
			}
			pending++
			continue
		}
		if err := s.checkBytes(pending); err != nil {
			return dst, err
		}
		pending = 0
		if stripped || len(s.decoded) > 0 {
			atStart = false
		}
		stripped = false
		switch m.types[id] {
		case control:
			continue
		case unknown:
			if err := s.write(m.unknownSurface); err != nil {
				return dst, err
			}
			continue
		}
		if atStart && m.stripped {
			var found bool
			if piece, found = bytes.CutPrefix(piece, []byte(space)); found {
				stripped = !m.strippedAll
			}
		}
		if err := s.writePiece(piece); err != nil {
			return dst, err
		}
	}
	if err := s.checkBytes(pending); err != nil {
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
