package ir

// Note is something in a file that is allowed, or harmless, but that its writer may
// not have meant.
type Note struct {
	Line  int    // of the XML; 0 where it concerns the file as a whole
	Layer *Layer // nil where it concerns none
	Text  string
}

// maxNotes bounds the notes that the reader takes of a file, and Propagate of a
// model.
const maxNotes = 1000

// noteCount counts notes up to maxNotes.
type noteCount int

// add appends n to notes, or where there are too many of them a last one that says
// so.
func (c *noteCount) add(notes []Note, n Note) []Note {
	switch *c++; {
	case *c <= maxNotes:
		return append(notes, n)
	case *c == maxNotes+1:
		return append(notes, Note{Text: "there is more of this kind, which is not reported"})
	}
	return notes
}
