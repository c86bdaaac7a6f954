package irxml

import "unsafe"

// mapping is a .bin that is mapped into memory. It implements ir.Storage.
type mapping struct{ data []byte }

// Close unmaps the .bin.
func (m *mapping) Close() error { return unmap(m.data) }

// discardBytes is the smallest size that is worth a system call.
const discardBytes = 1 << 16

// Discard releases the memory of data if it is in the mapping.
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
