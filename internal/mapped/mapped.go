// Package mapped maps files into memory.
package mapped

import (
	"os"
	"unsafe"

	"github.com/vinoir/vinoir/internal/regular"
)

// File is a file that is mapped into memory. It implements ir.Storage.
type File struct {
	// Data is the content of the file, which must not be changed. It is nil if the file is empty.
	Data []byte
}

// Open maps file, a regular file of at most limit bytes. The mapping stays when file is closed. The
// error is errors.ErrUnsupported if the system cannot map files: the caller reads it instead.
func Open(file *os.File, limit int64) (*File, error) {
	size, err := regular.Size(file, limit)
	if err != nil || size == 0 {
		return &File{}, err
	}
	data, err := mapFile(file, int(size))
	if err != nil {
		return nil, err
	}
	return &File{data}, nil
}

// Close unmaps the file. Nothing in it may be used afterwards.
func (m *File) Close() error {
	if m.Data == nil {
		return nil
	}
	data := m.Data
	m.Data = nil
	return unmap(data)
}

// discardBytes is the smallest size that is worth a system call.
const discardBytes = 1 << 16

// Discard releases the memory of data if it is in the mapping.
func (m *File) Discard(data []byte) {
	if len(data) < discardBytes {
		return
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(m.Data)))
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data))) - start
	if at < uintptr(len(m.Data)) {
		discard(m.Data, int(at), int(at)+len(data))
	}
}
