package oip

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Code says what kind of error an Error is. Each protocol has a number of its own for it.
type Code uint8

// The codes, with the status of REST and the code of gRPC that stand for them.
const (
	// Malformed is a request that is broken or does not fit the model: 400, INVALID_ARGUMENT.
	Malformed Code = iota
	// NotFound is an unknown model, version or path: 404, NOT_FOUND.
	NotFound
	// Unauthenticated is a request without a key: 401, UNAUTHENTICATED.
	Unauthenticated
	// PermissionDenied is a request whose key does not allow the call: 403, PERMISSION_DENIED.
	PermissionDenied
	// MethodNotAllowed is a path that has no such method: 405, UNIMPLEMENTED.
	MethodNotAllowed
	// Slow is a request that does not arrive in time: 408, DEADLINE_EXCEEDED.
	Slow
	// TooLarge is a message beyond a limit: 413, RESOURCE_EXHAUSTED.
	TooLarge
	// UnsupportedEncoding is a compression that the server does not have: 415, UNIMPLEMENTED.
	UnsupportedEncoding
	// QueueFull is a request for which there is no place: 429 with Retry-After, RESOURCE_EXHAUSTED.
	QueueFull
	// Internal is a fault of the server: 500, INTERNAL.
	Internal
	// Unavailable is a model that is being loaded, or a server that ends: 503, UNAVAILABLE.
	Unavailable
	// DeadlineExceeded is a request that could not be answered in time: 504, DEADLINE_EXCEEDED.
	DeadlineExceeded
	// Canceled is a request whose client has gone: no answer, CANCELLED.
	Canceled
)

// Error is an error that a client gets to see.
type Error struct {
	Code Code
	// Text says what was wrong, with names and values, in at most MaxErrorText bytes.
	Text string
	// RetryAfter is how long a client should wait before it asks again; 0 if that would not help.
	RetryAfter time.Duration
}

// MaxErrorText is the length of the longest error text in bytes: over gRPC, a longer one can exceed
// the limit of trailers, and arrives as another error.
const MaxErrorText = 1024

// Errorf returns an Error whose text is shortened to MaxErrorText.
func Errorf(code Code, format string, arguments ...any) *Error {
	return &Error{Code: code, Text: shorten(fmt.Sprintf(format, arguments...))}
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// ErrorOf returns what a client gets to see of err: the *Error in it, or one for the end of a
// context. Anything else is a fault of the server.
func ErrorOf(err error) *Error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled):
		return Errorf(Canceled, "the request was canceled")
	case errors.Is(err, context.DeadlineExceeded):
		return Errorf(DeadlineExceeded, "the time of the request was over before it was answered")
	default:
		return Errorf(Internal, "%v", err)
	}
}

// shorten cuts text to MaxErrorText bytes at the start of a rune.
func shorten(text string) string {
	const more = "..."
	if len(text) <= MaxErrorText {
		return text
	}
	cut := MaxErrorText - len(more)
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + more
}
