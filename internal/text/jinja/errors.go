package jinja

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
)

// Error says what is wrong with a template, or what went wrong while it was rendered.
type Error struct {
	// Line is the line of the template, from 1.
	Line int
	// Message says what was wrong.
	Message string
	// Raised says that the template itself called raise_exception with the message.
	Raised bool
}

// Error returns the message and the line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s, in line %d of the template", e.Message, e.Line)
}

// stopped is what ends a rendering whose context is done.
type stopped struct{ err error }

// fail ends the parsing or the rendering with an error. Parse and Render return it.
//
// It is not inlined: the code of the command would be 20 KiB larger.
//
//go:noinline
func fail(line int, format string, args ...any) {
	panic(&Error{Line: line, Message: fmt.Sprintf(format, args...)})
}

// recovered sets *err to the error that ended a parsing or a rendering. Any other panic, which
// would be a bug in this package, becomes an error, too: where, " in ...", says when it was.
// recovered must be deferred.
func recovered(err *error, where string) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	case stopped:
		*err = r.err
	default:
		*err = faults.OfPanic(where, r)
	}
}
