package trace

import "encoding/hex"

// Parent is the span of a caller, as the headers traceparent and tracestate of W3C tell it. The
// zero value means that there is none.
type Parent struct {
	TraceID [16]byte
	SpanID  [8]byte
	// Sampled is set if the caller records the trace.
	Sampled bool
	// State belongs to the caller's systems, and is handed on.
	State string
}

// Valid reports whether there is a caller's span.
func (p Parent) Valid() bool { return p.TraceID != [16]byte{} && p.SpanID != [8]byte{} }

// maxState is the length of the longest tracestate that is handed on, as the specification has it.
const maxState = 512

// ParseParent reads the two headers. A header that is malformed is the same as none, as the
// specification wants: a broken trace is not worth a request.
func ParseParent(traceparent, tracestate string) Parent {
	// version "-" trace-id "-" parent-id "-" flags; later versions may add to it.
	const length = 2 + 1 + 32 + 1 + 16 + 1 + 2
	var p Parent
	var version, flags [1]byte
	if len(traceparent) < length ||
		traceparent[2] != '-' || traceparent[35] != '-' || traceparent[52] != '-' ||
		!decode(version[:], traceparent[:2]) || version[0] == 0xFF ||
		!decode(p.TraceID[:], traceparent[3:35]) || !decode(p.SpanID[:], traceparent[36:52]) ||
		!decode(flags[:], traceparent[53:55]) || !p.Valid() {
		return Parent{}
	}
	if rest := traceparent[length:]; rest != "" && (version[0] == 0 || rest[0] != '-') {
		return Parent{}
	}
	p.Sampled = flags[0]&1 != 0
	if len(tracestate) <= maxState {
		p.State = tracestate
	}
	return p
}

// decode reads the lower-case hexadecimal digits of text into to, and reports whether they are
// that.
func decode(to []byte, text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 'A' && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(to, []byte(text))
	return err == nil
}
