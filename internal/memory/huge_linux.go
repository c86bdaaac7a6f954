package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for large pages for what b covers whole ones of. That a system has
// none is no error.
func adviseHuge(b []byte) {
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (hugePage - 1)
	if whole := (len(b) - skip) &^ (hugePage - 1); whole > 0 {
		_ = unix.Madvise(b[skip:skip+whole], unix.MADV_HUGEPAGE)
	}
}
