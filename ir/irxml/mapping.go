package irxml

import "unsafe"

// mapping is a .bin that is mapped into memory. It implements Storage.
type mapping struct{ data []byte }

// Close unmaps the .bin.
func (m *mapping) Close() error { return unmap(m.data) }

// discardBytes is the size below which a system call is not worth it.
const discardBytes = 1 << 16

// Discard gives back the memory of data if it is part of the mapping.
func (m *mapping) Discard(data []byte) {
	if len(data) < discardBytes {
		return
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data))) - start
	if at < uintptr(len(m.data)) {
		discard(m.data, int(at), int(at)+len(data))
	}
}
