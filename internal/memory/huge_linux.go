package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks the system to use huge pages for the whole ones that b covers. Errors are
// ignored: the system may not have huge pages.
func adviseHuge(b []byte) {
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (hugePage - 1)
	if whole := (len(b) - skip) &^ (hugePage - 1); whole > 0 {
		_ = unix.Madvise(b[skip:skip+whole], unix.MADV_HUGEPAGE)
	}
}
