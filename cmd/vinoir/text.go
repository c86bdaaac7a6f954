package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/plugin"
)

// The numbers of characters of names, of types, and of other text from files that are printed. The
// first two are those of ir.Layer.String.
const (
	maxName    = 500
	maxType    = 100
	maxMessage = 4000
	maxCell    = 100 // of a cell in a table, whose column is as wide as the widest cell
)

// maxNames bounds the total length of a list of names, and maxAllNames that of the lists of all
// ports. Ports can share a list of any length.
const (
	maxNames    = 2000
	maxAllNames = 1 << 20
)

// nameCutter cuts the lists of names of ports.
type nameCutter struct {
	used int // length of all lists
}

// cut returns the names that fit maxNames and maxAllNames, at least one, cut, and says how many
// there are if they do not fit.
func (c *nameCutter) cut(names []string) []string {
	list, length := []string{}, 0
	for _, name := range names {
		name = printable.Cut(name, maxName)
		length += len(name)
		if c.used += len(name); (length > maxNames || c.used > maxAllNames) && len(list) > 0 {
			return append(list, fmt.Sprintf("... (%d names)", len(names)))
		}
		list = append(list, name)
	}
	return list
}

// painted is text that fprintf prints as it is: it can have escape sequences for colours.
type painted string

// escaped is an argument of fprintf.
type escaped struct{ value any }

// Format formats the value and escapes what is not printable.
func (e escaped) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, printable.Escape(fmt.Sprintf(fmt.FormatString(f, verb), e.value)))
}

// fprintf is fmt.Fprintf for text that people read. What is not printable in the arguments is
// escaped, because it can come from a file: only format itself can have line ends and tabs.
func fprintf(w io.Writer, format string, args ...any) {
	safe := make([]any, len(args))
	for i, arg := range args {
		switch arg.(type) {
		case painted, int, float64, uint64: // a width must be an int
			safe[i] = arg
		default:
			safe[i] = escaped{arg}
		}
	}
	fmt.Fprintf(w, format, safe...)
}

// printf is fprintf to standard output. It is not inlined: its callers would be 1.3 KiB larger.
//
//go:noinline
func (a *app) printf(format string, args ...any) { fprintf(a.stdout, format, args...) }

// printError prints err on one line, except for a list of layers, which has a line for each of
// them.
func printError(w io.Writer, err error) {
	text, list := err.Error(), ""
	var unsupported *plugin.UnsupportedError
	if errors.As(err, &unsupported) {
		// Its lines are printable, but a path before it may have line ends.
		if before, ok := strings.CutSuffix(text, unsupported.Error()); ok {
			text, list, _ = strings.Cut(unsupported.Error(), "\n")
			text = before + text
		}
	}
	fprintf(w, "vinoir: %s\n", text)
	for line := range strings.Lines(list) {
		fprintf(w, "%s\n", strings.TrimSuffix(line, "\n"))
	}
}

// printJSON prints v on one line.
func (a *app) printJSON(v any) error {
	if err := a.writeJSON(v); err != nil {
		return err
	}
	return a.stdout.WriteByte('\n')
}

// writeJSON prints v without a line end.
func (a *app) writeJSON(v any) error {
	text, err := marshal(v)
	if err == nil {
		_, err = a.stdout.Write(text)
	}
	return err
}

// marshal returns v as JSON on one line. What is not printable is escaped.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return escapeJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// escapeJSON returns text, valid JSON, with escape sequences in place of what is not printable.
// encoding/json escapes the control characters of ASCII, but not DEL, those above ASCII, or the
// characters that change the direction of text. The second character of "##" is escaped as well:
// see printable.Escape. All of them can only be in strings.
func escapeJSON(text []byte) []byte {
	var out []byte // nil if nothing is escaped
	from := 0
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		command := r == '#' && i > 0 && text[i-1] == '#'
		if !command && (r < ' ' || r != 0x7f && r < utf8.RuneSelf || strconv.IsPrint(r)) {
			i += size
			continue
		}
		out = append(out, text[from:i]...)
		if r1, r2 := utf16.EncodeRune(r); r1 != utf8.RuneError {
			out = fmt.Appendf(out, `\u%04x\u%04x`, r1, r2)
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
		from = i
	}
	if out == nil {
		return text
	}
	return append(out, text[from:]...)
}
