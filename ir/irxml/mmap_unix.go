//go:build unix

package irxml

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFlags keep the opening of a named pipe from waiting for its other end.
const openFlags = unix.O_NONBLOCK

// mapFile maps size bytes of file into memory, to be read only.
func mapFile(file *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
}

func unmap(mapping []byte) error { return unix.Munmap(mapping) }

// discard gives back the memory of the whole pages of mapping[from:to], which are
// read from the file again when they are needed.
func discard(mapping []byte, from, to int) {
	page := os.Getpagesize()
	from, to = (from+page-1)/page*page, to/page*page
	if from < to {
		// Without it, the pages only stay in memory.
		_ = unix.Madvise(mapping[from:to], unix.MADV_DONTNEED)
	}
}
