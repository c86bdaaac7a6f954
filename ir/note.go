package ir

// Note is something in a file that is allowed, or harmless, but that its writer may
// not have meant.
type Note struct {
	Line  int    // of the XML; 0 where it concerns the file as a whole
	Layer *Layer // nil where it concerns none
	Text  string
}

// maxNotes is the number of notes that a NoteCount admits.
const maxNotes = 1000

// NoteCount bounds the number of notes taken of one file or one model: a thousand. The
// zero value is ready to use.
type NoteCount int

// Append returns notes with n appended. It drops n if the bound is reached, after a last
// note that says so.
func (c *NoteCount) Append(notes []Note, n Note) []Note {
	switch *c++; {
	case *c <= maxNotes:
		return append(notes, n)
	case *c == maxNotes+1:
		return append(notes, Note{Text: "there is more of this kind, which is not reported"})
	}
	return notes
}
