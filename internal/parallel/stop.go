package parallel

import (
	"errors"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

// Stop is the request to stop work: the Done channel of a context. The zero value never stops.
type Stop <-chan struct{}

// ErrStopped is the error of work that was stopped before its end. The caller, who has the context,
// returns the context's error instead.
var ErrStopped = errors.New("stopped")

// Requested reports whether the work must stop. Once true, it stays true. So a loop deep inside a
// kernel can return without an error if Requested is true: whoever called it asks again and returns
// ErrStopped. Requested takes a few nanoseconds and does not allocate. It is not inlined: with Err,
// Meter, renew and Share, its callers would be 89 KiB larger.
//
//go:noinline
func (s Stop) Requested() bool {
	if s == nil {
		return false
	}
	letTimersRun()
	select {
	case <-s:
		return true
	default:
		return false
	}
}

// Err returns ErrStopped if the work must stop, and nil otherwise. It is not inlined: see
// Requested.
//
//go:noinline
func (s Stop) Err() error {
	if s.Requested() {
		return ErrStopped
	}
	return nil
}

// Copy is the built-in copy for long slices. It ends early if the work must stop.
func Copy[T any](s Stop, dst, src []T) {
	n := min(len(dst), len(src))
	if n < shortCopy {
		copy(dst, src)
		return
	}
	block := blockOf[T](n)
	for at := 0; at < n && !s.Requested(); at += block {
		copy(dst[at:min(at+block, n)], src[at:])
	}
}

const (
	// shortCopy is the number of elements below which a copy takes less time than it is worth to
	// check for a stop.
	shortCopy = 1 << 12
	// blockBytes is the size of the pieces in which Copy and Clear write. On amd64, the built-in
	// copy of 1 MiB or more writes past the caches. Then it takes far longer to change a few of the
	// copied elements, or to read them, so the pieces are shorter.
	blockBytes = 1 << 19
	// largeBlockBytes is the size for slices that do not fit the caches in any case.
	largeBlockBytes = 1 << 22
	// largeCaches is the size of such slices, as a multiple of a core's second-level cache. It
	// stands for the share of a core of the last cache.
	largeCaches = 8
)

// blockOf returns the number of elements of a block, for n elements in all.
func blockOf[T any](n int) int {
	var element T
	size := max(int(unsafe.Sizeof(element)), 1)
	if n > largeCaches*cpu.L2/size {
		return largeBlockBytes / size
	}
	return blockBytes / size
}

// Clear is the built-in clear for long slices. It ends early if the work must stop.
func Clear[T any](s Stop, x []T) {
	block := blockOf[T](len(x))
	for at := 0; at < len(x) && !s.Requested(); at += block {
		clear(x[at:min(at+block, len(x))])
	}
}

// Convert calls convert for short pieces of dst and src, which have the same length. It ends early
// if the work must stop.
func Convert[D, S any](s Stop, dst []D, src []S, convert func([]D, []S)) {
	for at := 0; at < len(src) && !s.Requested(); at += pieceLen {
		end := min(at+pieceLen, len(src))
		convert(dst[at:end], src[at:end])
	}
}

// pieceLen is the number of elements of a piece of Convert.
const pieceLen = 1 << 16

// Meter adds up work, and asks a Stop each time that it is enough for about a tenth of a
// millisecond.
type Meter struct {
	stop Stop
	left int
}

// meterWork is the work, in simple operations, between two checks.
const meterWork = 1 << 17

// Meter returns a Meter of no work. It is not inlined: see Requested.
//
//go:noinline
func (s Stop) Meter() Meter { return Meter{s, meterWork} }

// Spent adds work, a number of simple operations such as additions, and reports whether the work
// must stop. It may report so late, but not for more than meterWork of later work. Once true, it
// stays true.
func (m *Meter) Spent(work int) bool {
	m.left -= work
	return m.left <= 0 && m.renew()
}

// renew sets the work until the next check, and reports whether the work must stop. Then it is 0,
// so that the next call of Spent reports it again, and all loops around this one end too. It is not
// inlined: see Requested.
//
//go:noinline
func (m *Meter) renew() bool {
	if m.stop.Requested() {
		m.left = 0
		return true
	}
	m.left = meterWork
	return false
}
