//go:build !(amd64 || arm64) || noasm

package parallel

// pause waits n times for a moment, some ten cycles. It is not inlined, as the loop is there to
// take time.
//
//go:noinline
func pause(n uint32) {
	for range 16 * n {
	}
}
