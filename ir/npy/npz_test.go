package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/ir"
)

func parseArchive(t *testing.T, name string) *Archive {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	require.True(t, IsArchive(data))
	a, err := ParseArchive(data)
	require.NoError(t, err)
	return a
}

// TestArchive_numpy reads what numpy.savez and savez_compressed have written.
func TestArchive_numpy(t *testing.T) {
	stored, deflated := parseArchive(t, "stored.npz"), parseArchive(t, "deflated.npz")
	assert.Equal(t, []string{"x", "y"}, stored.Keys)
	assert.Equal(t, []string{"x", "zeros", "a/b"}, deflated.Keys)
	for _, a := range []*Archive{stored, deflated} {
		array, err := a.Read("x", 1000)
		require.NoError(t, err)
		tensor, err := array.Tensor(ir.F32, nil)
		require.NoError(t, err)
		assert.Equal(t, ir.Shape{2, 3}, tensor.Shape())
		assert.Equal(t, []float32{0, 1, 2, 3, 4, 5}, ir.Data[float32](tensor))
	}
	_, err := deflated.Read("zeros", 1000)
	assert.EqualError(t, err, `array "zeros": it has 1128 bytes: it is longer than the limit of 1000 bytes`)
	array, err := deflated.Read("zeros", 1128)
	require.NoError(t, err)
	assert.Equal(t, make([]byte, 1000), array.Data)
	_, err = stored.Read("z", 1000)
	assert.EqualError(t, err, `the archive has no array "z", it has "x, y"`)
}

// archive returns a zip archive of the given files, some of which are compressed.
func archive(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: files[i], Method: uint16(i % 4 / 2 * 8), Comment: "of a file", Modified: time.Unix(0, 0)})
		require.NoError(t, err)
		_, err = io.WriteString(f, files[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.SetComment("a comment"))
	require.NoError(t, w.Close())
	return b.Bytes()
}

// zip64 returns an archive of one file whose sizes and positions are in the records of 64 bits.
func zip64(content string) []byte {
	u16 := func(b []byte, list ...uint16) []byte {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
		return b
	}
	u32, u64, crc := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64, crc32.ChecksumIEEE([]byte(content))
	n := uint64(len(content))
	b := u32(u16([]byte(localMagic), 45, 0, 0, 0, 0), crc)
	b = append(u16(u32(u32(b, math.MaxUint32), math.MaxUint32), 5, 0), "x.npy"+content...)
	directory := uint64(len(b))
	b = u32(u16(append(b, directoryMagic...), 45, 45, 0, 0, 0, 0), crc)
	b = u32(u16(u32(u32(b, math.MaxUint32), math.MaxUint32), 5, 34, 0, 0, 0, 0, 0), math.MaxUint32)
	b = u16(append(b, "x.npy"...), 9, 2, 7) // another extra field comes first
	b = u64(u64(u64(u16(b, 1, 24), n), n), 0)
	end := uint64(len(b))
	b = u64(u16(u64(append(b, end64Magic...), 44), 45, 45), 0)
	b = u64(u64(u64(u64(b, 1), 1), end-directory), directory)
	b = u32(u64(u32(append(b, locatorMagic...), 0), end), 1)
	b = u16(append(b, endMagic...), 0xffff, 0xffff, 0xffff, 0xffff)
	return u16(u32(u32(b, math.MaxUint32), math.MaxUint32), 0)
}

const f4 = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n"

func TestArchive_zip64(t *testing.T) {
	a, err := ParseArchive(zip64(string(file(f4, "0123"))))
	require.NoError(t, err)
	array, err := a.Read("x", 1000)
	require.NoError(t, err)
	assert.Equal(t, "0123", string(array.Data))
}

// TestArchive_hostile changes bytes of good archives.
func TestArchive_hostile(t *testing.T) {
	good := archive(t, "x.npy", string(file(f4, "0123")), "y.npy", string(file(f4, "0123"))+strings.Repeat("a", 5000))
	directory := bytes.Index(good, []byte(directoryMagic))
	second := bytes.LastIndex(good, []byte(directoryMagic))
	end := bytes.LastIndex(good, []byte(endMagic))
	for name, tt := range map[string]struct {
		change func(b []byte) []byte
		want   string
	}{
		"nothing":         {func([]byte) []byte { return nil }, "not an .npz file"},
		"cut":             {func(b []byte) []byte { return b[:end] }, "not an .npz file"},
		"count":           {func(b []byte) []byte { b[end+10] = 3; return b }, "has 2 files in its directory, not 3"},
		"position":        {func(b []byte) []byte { b[end+19] = 0xff; return b }, "the directory of the archive is at byte 42781"},
		"name":            {func(b []byte) []byte { b[second+29] = 0xff; return b }, "ends in file 1"},
		"twice":           {func(b []byte) []byte { b[second+directoryBytes] = 'x'; return b }, `two arrays "x"`},
		"encrypted":       {func(b []byte) []byte { b[directory+8] |= 1; return b }, `array "x": it is encrypted`},
		"method":          {func(b []byte) []byte { b[directory+10] = 12; return b }, "compression method 12 is not supported"},
		"checksum":        {func(b []byte) []byte { b[directory+16]++; return b }, "its checksum is"},
		"size":            {func(b []byte) []byte { b[directory+24]++; return b }, "do not stand for"},
		"large":           {func(b []byte) []byte { b[directory+27] = 0x7f; return b }, "longer than the limit"},
		"no file there":   {func(b []byte) []byte { b[directory+42]++; return b }, "there is no file at byte 1"},
		"beyond the file": {func(b []byte) []byte { b[directory+45]++; return b }, "there is no file at byte"},
		"local name":      {func(b []byte) []byte { b[27] = 0xff; return b }, "are beyond its end"},
	} {
		a, err := ParseArchive(tt.change(bytes.Clone(good)))
		if err == nil {
			_, err = a.Read("x", 1<<20)
		}
		assert.ErrorContains(t, err, tt.want, name)
	}

	for name, tt := range map[string]struct {
		at   int
		to   uint32
		want string
	}{
		"shorter": {24, 100, "it has more than the 100 bytes that the archive says"},
		"longer":  {24, 6000, "unexpected EOF"},
		"bomb":    {24, 1 << 30, "do not stand for 1073741824"},
	} {
		changed := bytes.Clone(good)
		binary.LittleEndian.PutUint32(changed[second+tt.at:], tt.to)
		a, err := ParseArchive(changed)
		require.NoError(t, err)
		limittest.Run(t, limittest.Limits{Bytes: 1 << 20, Time: time.Minute}, func(context.Context) { _, err = a.Read("y", 1<<40) })
		assert.ErrorContains(t, err, tt.want, name)
	}
	huge := zip64(string(file(f4, "0123")))
	at := bytes.Index(huge, []byte(end64Magic))
	for _, position := range []uint64{0, uint64(at) + 1, 1 << 63, math.MaxUint64} {
		binary.LittleEndian.PutUint64(huge[at+end64Bytes+8:], position)
		_, err := ParseArchive(huge)
		assert.ErrorIs(t, err, errNotArchive)
	}
}

// FuzzArchive checks that each array of an archive is read or refused, without more memory than the
// limit, and that what is read is what archive/zip reads.
func FuzzArchive(f *testing.F) {
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add(archive(f, "x.npy", string(file(f4, "0123")), "y.npy", string(file(f4, "0123"))))
	f.Add(zip64(string(file(f4, "0123"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a *Archive
		var err error
		limits := limittest.Limits{Bytes: 1<<20 + 64*uint64(len(data)), Time: 5 * time.Second}
		limittest.Run(t, limits, func(context.Context) { a, err = ParseArchive(data) })
		if err != nil || len(a.Keys) > 10 {
			return
		}
		other, otherErr := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		for i, key := range a.Keys {
			var content []byte
			const limit = 1 << 16
			limits.Bytes += 64 * limit
			limittest.Run(t, limits, func(context.Context) {
				content, err = a.unpack(a.members[key], limit)
				_, _ = a.Read(key, limit)
			})
			if err != nil || otherErr != nil || i >= len(other.File) || strings.TrimSuffix(other.File[i].Name, ".npy") != key {
				continue
			}
			r, err := other.File[i].Open()
			if err != nil {
				continue
			}
			want, err := io.ReadAll(io.LimitReader(r, 2*limit))
			if err == nil {
				require.Equal(t, want, content, key)
			}
		}
	})
}
