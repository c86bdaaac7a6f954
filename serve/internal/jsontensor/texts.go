package jsontensor

import (
	"encoding/base64"

	"github.com/vinoir/vinoir/serve/internal/jsonscan"
)

// texts reads texts into one piece of memory.
type texts struct {
	// bytes has the texts behind each other, ends the offset at which each ends.
	bytes []byte
	ends  []int
	// escaped is memory for a text with escapes.
	escaped []byte
	base64  bool
}

// read is an elementReader.
func (t *texts) read(data []byte, pos, i int) (end int, err error) {
	if t.base64 && pos < len(data) && data[pos] == '{' {
		end, err = t.decode(data, pos)
	} else {
		end, err = t.copy(data, pos)
	}
	t.ends[i] = len(t.bytes)
	return end, err
}

// copy appends the text at data[pos].
func (t *texts) copy(data []byte, pos int) (end int, err error) {
	text, end, escaped, err := jsonscan.Text(data, pos, t.escaped[:0])
	if err != nil {
		return pos, err
	}
	if escaped {
		t.escaped = text
	}
	t.bytes = append(t.bytes, text...)
	return end, nil
}

// decode appends the bytes of an object {"b64": "…"} at data[pos].
func (t *texts) decode(data []byte, pos int) (end int, err error) {
	s := jsonscan.New(data, 1)
	s.Seek(pos)
	found := 0
	err = s.Object(func(name []byte) error {
		if string(name) != "b64" {
			return jsonscan.Broken(data, s.Offset(), "expected b64 as the only member")
		}
		at := s.Offset()
		text, err := s.String()
		if err != nil {
			return err
		}
		found++
		if t.bytes, err = base64.StdEncoding.AppendDecode(t.bytes, []byte(text)); err != nil {
			return jsonscan.Broken(data, at, "expected base64")
		}
		return nil
	})
	if err == nil && found != 1 {
		err = jsonscan.Broken(data, pos, "expected one member b64")
	}
	return s.Offset(), err
}

// strings returns the texts, which share one piece of memory.
func (t *texts) strings() []string {
	all, from := string(t.bytes), 0
	list := make([]string, len(t.ends))
	for i, end := range t.ends {
		list[i], from = all[from:end], end
	}
	return list
}

// appendAnyText appends text as a string, or as {"b64": "…"} if it is no UTF-8.
func appendAnyText(b []byte, text string) []byte {
	if b, ok := jsonscan.AppendText(b, text); ok {
		return b
	}
	b = append(b, `{"b64":"`...)
	b = base64.StdEncoding.AppendEncode(b, []byte(text))
	return append(b, `"}`...)
}
