package split

import (
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// substitution replaces each character of a class.
type substitution struct {
	class regex.Class
	parts []part // texts, and groups that are the character
	most  int    // bytes that replace one
	// ascii says what becomes of a byte, and to has the byte that replaces it.
	ascii [256]action
	to    [utf8.RuneSelf]byte
}

// action is what becomes of a byte.
type action uint8

const (
	actionByte    action = iota // one byte replaces it, which can be itself
	actionReplace               // it is a member, and its replacement has another length
	actionDecode                // it is a part of a longer character
)

// substitutionOf returns nil if re is not a class, or the replacement has other parts.
func substitutionOf(re *regex.Regexp, parts []part) *substitution {
	class, ok := re.Class()
	if !ok {
		return nil
	}
	s := &substitution{class: class, parts: parts}
	for i := range parts {
		switch parts[i].kind {
		case partText:
			s.most += len(parts[i].text)
		case partGroups:
			s.most += utf8.UTFMax
		default:
			return nil
		}
	}
	for b := range s.ascii {
		if b >= utf8.RuneSelf {
			s.ascii[b] = actionDecode
			continue
		}
		s.to[b] = byte(b)
		if !class.HasByte(byte(b)) {
			continue
		}
		if with := s.put(nil, []byte{byte(b)}); len(with) == 1 {
			s.to[b] = with[0]
		} else {
			s.ascii[b] = actionReplace
		}
	}
	return s
}

// put appends what replaces a character.
func (s *substitution) put(out, character []byte) []byte {
	for i := range s.parts {
		if p := &s.parts[i]; p.kind == partText {
			out = append(out, p.text...)
		} else {
			out = append(out, character...)
		}
	}
	return out
}

// substituted is the number of bytes between two questions for memory and whether to stop.
const substituted = 1 << 12

// append appends text, and reports whether it has a member. The error is parallel.ErrStopped or one
// of Reserve.
func (s *substitution) append(w *writer, text []byte, scratch *Scratch) (found bool, err error) {
	meter := scratch.Limit().Stop.Meter()
	for at := 0; at < len(text); {
		end := min(at+substituted, len(text))
		out, err := limits.Grow(w.limits, w.out, len(w.out)+(end-at+utf8.UTFMax)*max(s.most, 1))
		if err != nil {
			return found, err
		}
		for at < end {
			switch b := text[at]; s.ascii[b] {
			case actionByte:
				out = append(out, s.to[b&(utf8.RuneSelf-1)])
				at++
			case actionReplace:
				out, found = s.put(out, text[at:at+1]), true
				at++
			default:
				n, member := s.class.Character(text[at:])
				if character := text[at : at+n]; member {
					out, found = s.put(out, character), true
				} else {
					out = append(out, character...)
				}
				at += n
			}
		}
		if w.out = out; meter.Spent(substituted) {
			return found, parallel.ErrStopped
		}
	}
	return found, nil
}
