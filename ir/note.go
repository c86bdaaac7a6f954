package ir

import "github.com/vinoir/vinoir/internal/printable"

// Note reports something in a file that is allowed or harmless, but probably not intended.
type Note struct {
	Line  int    // in the XML; 0 if the note is about the whole file
	Layer *Layer // nil if the note is not about a layer
	Text  string // printable
}

// maxNotes is the number of notes that a NoteCount allows.
const maxNotes = 1000

// NoteCount limits the number of notes about one file or one model to 1000. The zero value is
// ready to use.
type NoteCount int

// Append returns notes with n appended. If the limit is reached, it drops n; the first time, it
// appends a note about dropped notes instead. It escapes what is not printable in the text.
func (c *NoteCount) Append(notes []Note, n Note) []Note {
	switch *c++; {
	case *c <= maxNotes:
		n.Text = printable.Escape(n.Text)
		return append(notes, n)
	case *c == maxNotes+1:
		return append(notes, Note{Text: "there are more notes, which are not reported"})
	}
	return notes
}
