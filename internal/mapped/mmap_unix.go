//go:build unix

package mapped

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps size bytes of file into memory, read-only.
func mapFile(file *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
}

func unmap(mapping []byte) error { return unix.Munmap(mapping) }

// discard releases the memory of the whole pages in mapping[from:to]. They are read from the
// file again when they are used.
func discard(mapping []byte, from, to int) {
	page := os.Getpagesize()
	from, to = (from+page-1)/page*page, to/page*page
	if from < to {
		// An error is harmless: the pages stay in memory.
		_ = unix.Madvise(mapping[from:to], unix.MADV_DONTNEED)
	}
}
