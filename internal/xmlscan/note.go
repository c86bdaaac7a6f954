package xmlscan

import (
	"bytes"
	"fmt"

	"github.com/vinoir/vinoir/internal/printable"
)

// Note is a warning about something in a document that is accepted, but that its author may not
// have meant.
type Note struct {
	Line int // from 1
	Text string
}

// note is a Note at a position of the document.
type note struct {
	at   int
	text string
}

// maxNotes is the largest number of notes of a document.
const maxNotes = 100

// note adds a note at position at, unless there are maxNotes already.
func (s *Scanner) note(at int, format string, args ...any) {
	if len(s.notes) < maxNotes {
		s.notes = append(s.notes, note{at, printable.Escape(fmt.Sprintf(format, args...))})
	}
}

// Notes returns the notes on the part of the document that has been read, at most the first
// hundred. Notes on different events are in document order.
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
