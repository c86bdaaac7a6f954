package xmlscan

import (
	"bytes"
	"fmt"
)

// Note is something in a document that is passed over in silence, and that its
// writer may not have meant.
type Note struct {
	Line int
	Text string
}

type note struct {
	at   int
	text string
}

// maxNotes bounds the notes of one document.
const maxNotes = 100

func (s *Scanner) note(at int, format string, args ...any) {
	if len(s.notes) < maxNotes {
		s.notes = append(s.notes, note{at, fmt.Sprintf(format, args...)})
	}
}

// Notes returns the notes of what was read, in document order but for those of
// one event; no more than the first hundred.
func (s *Scanner) Notes() []Note {
	if len(s.notes) == 0 {
		return nil
	}
	notes := make([]Note, len(s.notes))
	line, counted := 1, 0
	for i, n := range s.notes {
		if n.at > counted {
			line += bytes.Count(s.doc[counted:n.at], newline)
			counted = n.at
		}
		notes[i] = Note{line, n.text}
	}
	return notes
}
