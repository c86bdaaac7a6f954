package npy

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
)

// Archive is an .npz file: a zip archive whose files, KEY.npy, are arrays, as numpy.savez and
// savez_compressed write it.
type Archive struct {
	// Keys has the names of the arrays, without ".npy", in the order of the file.
	Keys []string

	file    []byte
	members map[string]member
}

// member is what the directory of a zip archive says of a file.
type member struct {
	method                 uint16
	encrypted              bool
	crc                    uint32
	packed, size, position uint64 // of the file, in bytes
}

// The records of a zip archive that are read:
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT.
const (
	localMagic     = "PK\x03\x04"
	directoryMagic = "PK\x01\x02"
	endMagic       = "PK\x05\x06"
	end64Magic     = "PK\x06\x06"
	locatorMagic   = "PK\x06\x07"

	localBytes     = 30
	directoryBytes = 46
	endBytes       = 22
	end64Bytes     = 56
	locatorBytes   = 20
)

// maxRatio is a bound of how many bytes a byte of deflated data stands for.
const maxRatio = 1032

var errNotArchive = errors.New("not an .npz file: it is no zip archive, or its end is missing")

// IsArchive reports whether data starts like an .npz file with at least one array.
func IsArchive(data []byte) bool { return bytes.HasPrefix(data, []byte(localMagic)) }

// ParseArchive reads the directory of an .npz file, which the Archive uses. It decompresses
// nothing.
func ParseArchive(file []byte) (*Archive, error) {
	count, directory, err := findDirectory(file)
	if err != nil {
		return nil, err
	}
	a := &Archive{file: file, members: make(map[string]member)}
	for range count {
		if len(directory) < directoryBytes || string(directory[:4]) != directoryMagic {
			return nil, faults.Errorf("the archive has %d files in its directory, not %d", len(a.Keys), count)
		}
		flags := binary.LittleEndian.Uint16(directory[8:])
		m := member{
			method: binary.LittleEndian.Uint16(directory[10:]), encrypted: flags&1 != 0, crc: binary.LittleEndian.Uint32(directory[16:]),
			packed: uint64(binary.LittleEndian.Uint32(directory[20:])), size: uint64(binary.LittleEndian.Uint32(directory[24:])),
			position: uint64(binary.LittleEndian.Uint32(directory[42:])),
		}
		name, extra, comment := int(binary.LittleEndian.Uint16(directory[28:])), int(binary.LittleEndian.Uint16(directory[30:])), int(binary.LittleEndian.Uint16(directory[32:]))
		if directory = directory[directoryBytes:]; len(directory) < name+extra+comment {
			return nil, faults.Errorf("the directory of the archive ends in file %d", len(a.Keys))
		}
		key := strings.TrimSuffix(string(directory[:name]), ".npy")
		m.extend(directory[name : name+extra])
		directory = directory[name+extra+comment:]
		if _, twice := a.members[key]; twice {
			return nil, faults.Errorf("the archive has two arrays %s", printable.Quote(key, maxShown))
		}
		a.members[key] = m
		a.Keys = append(a.Keys, key)
	}
	return a, nil
}

// maxShown is the number of characters of a key in an error.
const maxShown = 100

// findDirectory returns the number of files in an archive, and its bytes from the directory of them
// on.
func findDirectory(file []byte) (count uint64, directory []byte, err error) {
	// The end is followed by a comment, which can have any length up to 65535.
	tail := file[max(len(file)-endBytes-1<<16, 0):]
	at := bytes.LastIndex(tail, []byte(endMagic))
	if at < 0 || len(tail)-at < endBytes {
		return 0, nil, errNotArchive
	}
	end := tail[at:]
	count, position := uint64(binary.LittleEndian.Uint16(end[10:])), uint64(binary.LittleEndian.Uint32(end[16:]))
	// Numbers that are too large are in a second record, and the position of that in a third, just
	// before.
	at += len(file) - len(tail)
	if locator := at - locatorBytes; locator >= 0 && string(file[locator:locator+4]) == locatorMagic {
		at64 := binary.LittleEndian.Uint64(file[locator+8:])
		if at64 > uint64(locator) || uint64(locator)-at64 < end64Bytes || string(file[at64:at64+4]) != end64Magic {
			return 0, nil, errNotArchive
		}
		count, position = binary.LittleEndian.Uint64(file[at64+32:]), binary.LittleEndian.Uint64(file[at64+48:])
	}
	if position > uint64(len(file)) {
		return 0, nil, faults.Errorf("the directory of the archive is at byte %d, the file has %d", position, len(file))
	}
	return count, file[position:], nil
}

// extend replaces numbers that do not fit 32 bits by those in the extra fields of a member.
func (m *member) extend(extra []byte) {
	const tooLarge, zip64 = 1<<32 - 1, 1
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if n > len(extra) {
			return
		}
		if field := extra[:n]; id == zip64 {
			for _, number := range []*uint64{&m.size, &m.packed, &m.position} {
				if *number == tooLarge && len(field) >= 8 {
					*number, field = binary.LittleEndian.Uint64(field), field[8:]
				}
			}
		}
		extra = extra[n:]
	}
}

// Has reports whether there is an array with the given key.
func (a *Archive) Has(key string) bool {
	_, found := a.members[key]
	return found
}

// Read returns the array with the given key. If its .npy file has more than limit bytes, Read
// returns an error before it allocates memory for them: a small archive can hold a large array.
func (a *Archive) Read(key string, limit int64) (*Array, error) {
	m, found := a.members[key]
	if !found {
		return nil, faults.Errorf("the archive has no array %s, it has %s", printable.Quote(key, maxShown), printable.Quote(strings.Join(a.Keys, ", "), 4*maxShown))
	}
	data, err := a.unpack(m, limit)
	if err == nil {
		var array *Array
		if array, err = Parse(data); err == nil {
			return array, nil
		}
	}
	return nil, faults.Errorf("array %s: %w", printable.Quote(key, maxShown), err)
}

// unpack returns the content of a file in memory of its own.
func (a *Archive) unpack(m member, limit int64) ([]byte, error) {
	const stored, deflated = 0, 8
	switch {
	case m.encrypted:
		return nil, errors.New("it is encrypted")
	case m.method != stored && m.method != deflated:
		return nil, faults.Errorf("compression method %d is not supported", m.method)
	case m.size > uint64(min(max(limit, 0), math.MaxInt)):
		return nil, faults.Errorf("it has %d bytes: it is longer than the limit of %d bytes", m.size, limit)
	}
	whole := uint64(len(a.file))
	if m.position > whole || whole-m.position < localBytes || string(a.file[m.position:m.position+4]) != localMagic {
		return nil, faults.Errorf("there is no file at byte %d of the archive", m.position)
	}
	local := a.file[m.position:]
	start := localBytes + uint64(binary.LittleEndian.Uint16(local[26:])) + uint64(binary.LittleEndian.Uint16(local[28:]))
	if start > uint64(len(local)) || m.packed > uint64(len(local))-start {
		return nil, faults.Errorf("%d bytes at byte %d of the archive are beyond its end, %d", m.packed, m.position, whole)
	}
	packed := local[start : start+m.packed]
	var from io.Reader = bytes.NewReader(packed)
	if m.method == deflated {
		from = flate.NewReader(from)
	}
	if m.method == stored && m.size != m.packed || m.method == deflated && m.size/maxRatio > m.packed {
		return nil, faults.Errorf("%d bytes in the archive do not stand for %d", m.packed, m.size)
	}
	data := make([]byte, m.size)
	if _, err := io.ReadFull(from, data); err != nil {
		return nil, faults.Errorf("decompressing %d bytes to %d: %w", m.packed, m.size, err)
	}
	if n, _ := io.ReadFull(from, make([]byte, 1)); n != 0 {
		return nil, faults.Errorf("it has more than the %d bytes that the archive says", m.size)
	}
	if crc := crc32.ChecksumIEEE(data); crc != m.crc {
		return nil, faults.Errorf("its checksum is %08x, the archive says %08x", crc, m.crc)
	}
	return data, nil
}
