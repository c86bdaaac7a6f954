package irxml_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// writeSmall writes the small model to a folder.
func writeSmall(t *testing.T, xmlName, binName string) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, xmlName), []byte(smallXML), 0o600))
	if binName != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, binName), smallBin, 0o600))
	}
	return filepath.Join(dir, xmlName)
}

func assertSmall(t *testing.T, m *ir.Model) {
	assert.Equal(t, int64(24), m.BinSize)
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, ir.Data[float32](m.Layers[1].Constant))
}

func TestReadFile(t *testing.T) {
	for _, c := range [][2]string{{"m.xml", "m.bin"}, {"m.v1.xml", "m.v1.bin"}, {"m", "m.bin"}, {"m.onnx", "m.bin"}} {
		path := writeSmall(t, c[0], c[1])
		m, err := irxml.ReadFile(path, irxml.ReadOptions{})
		require.NoError(t, err)
		assertSmall(t, m)
		require.NoError(t, m.Close())

		m, err = irxml.ReadFS(os.DirFS(filepath.Dir(path)), c[0], irxml.ReadOptions{})
		require.NoError(t, err)
		assertSmall(t, m)
	}
	path := writeSmall(t, "m.xml", "other")
	m, err := irxml.ReadFile(path, irxml.ReadOptions{Bin: filepath.Join(filepath.Dir(path), "other")})
	require.NoError(t, err)
	assertSmall(t, m)
	m, err = irxml.ReadFS(os.DirFS(filepath.Dir(path)), "m.xml", irxml.ReadOptions{Bin: "other"})
	require.NoError(t, err)
	assertSmall(t, m)
}

func TestReadFileMMap(t *testing.T) {
	m, err := irxml.ReadFile(writeSmall(t, "m.xml", "m.bin"), irxml.ReadOptions{MMap: true})
	require.NoError(t, err)
	assertSmall(t, m)
	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "a second Close does nothing")
}

// TestReadFileMMapCopies checks that values that shapes depend on are copied out of a mapping:
// if the file changes, the weights change, but these values do not.
func TestReadFileMMapCopies(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.xml")
	require.NoError(t, os.WriteFile(path, constXML(`element_type="i64" shape="2" offset="0" size="16"`), 0o600))
	bin := filepath.Join(dir, "m.bin")
	require.NoError(t, os.WriteFile(bin, make([]byte, 16), 0o600))
	m, err := irxml.ReadFile(path, irxml.ReadOptions{MMap: true})
	require.NoError(t, err)
	file, err := os.OpenFile(bin, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.Write(bytes.Repeat([]byte{1}, 16))
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assert.Equal(t, []int64{0, 0}, ir.Data[int64](m.Layers[0].Constant))
	require.NoError(t, m.Close())
}

func TestReadFileWithoutBin(t *testing.T) {
	path := writeSmall(t, "m.xml", "")
	bin := strings.TrimSuffix(path, "xml") + "bin"
	for _, mapped := range []bool{false, true} {
		_, err := irxml.ReadFile(path, irxml.ReadOptions{MMap: mapped})
		require.ErrorContains(t, err, `m.xml: line 13: layer 1 "weights" (Constant, opset1): the Constant needs the .bin: open `+bin)
		assert.ErrorIs(t, err, fs.ErrNotExist)
	}
	_, err := irxml.ReadFS(os.DirFS(filepath.Dir(path)), "m.xml", irxml.ReadOptions{})
	assert.ErrorContains(t, err, "the Constant needs the .bin: open m.bin")

	m, err := irxml.ReadFile(path, irxml.ReadOptions{NoBin: true})
	require.NoError(t, err)
	assert.Nil(t, m.Layers[1].Constant)

	// Without a Constant, a missing .bin is an error only if ReadOptions names it.
	require.NoError(t, os.WriteFile(path, smallWith(t, `<edge from-layer="1" from-port="0" to-layer="2" to-port="1" />`, ""), 0o600))
	m, err = irxml.ReadFile(path, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, int64(-1), m.BinSize)
	_, err = irxml.ReadFile(path, irxml.ReadOptions{Bin: bin})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = irxml.ReadFS(os.DirFS(filepath.Dir(path)), "m.xml", irxml.ReadOptions{Bin: "nope"})
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReadFileOfOtherKinds(t *testing.T) {
	path := writeSmall(t, "m.xml", "")
	dir := filepath.Dir(path)
	_, err := irxml.ReadFile(dir, irxml.ReadOptions{})
	assert.ErrorContains(t, err, "not a regular file")
	_, err = irxml.ReadFile(filepath.Join(dir, "nope.xml"), irxml.ReadOptions{})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "m.bin"), 0o700))
	for _, mapped := range []bool{false, true} {
		_, err = irxml.ReadFile(path, irxml.ReadOptions{MMap: mapped})
		assert.ErrorContains(t, err, "not a regular file")
	}
}

func TestReadFrom(t *testing.T) {
	m, err := irxml.ReadFrom(strings.NewReader(smallXML), bytes.NewReader(smallBin), irxml.ReadOptions{})
	require.NoError(t, err)
	assertSmall(t, m)
	_, err = irxml.ReadFrom(strings.NewReader(smallXML), nil, irxml.ReadOptions{})
	assert.ErrorContains(t, err, "none is given")
	_, err = irxml.ReadFrom(strings.NewReader(smallXML), nil, irxml.ReadOptions{NoBin: true})
	require.NoError(t, err)
	broken := errors.New("broken")
	_, err = irxml.ReadFrom(fstestReader{broken}, nil, irxml.ReadOptions{})
	assert.ErrorIs(t, err, broken)
}

type fstestReader struct{ err error }

func (r fstestReader) Read([]byte) (int, error) { return 0, r.err }

func TestReadLimits(t *testing.T) {
	fsys := fstest.MapFS{"m.xml": {Data: []byte(smallXML)}, "m.bin": {Data: smallBin}}
	path := writeSmall(t, "m.xml", "m.bin")
	for _, c := range []struct {
		limits  irxml.Limits
		message string
	}{
		{irxml.Limits{XMLBytes: 100}, "longer than the limit of 100 bytes"},
		{irxml.Limits{BinBytes: 23}, "longer than the limit of 23 bytes"},
		{irxml.Limits{Layers: 3}, "line 44: the model has more than 3 layers"},
		{irxml.Limits{Depth: 5}, "elements nest deeper than 5 levels"},
		{irxml.Limits{Attributes: 3}, "<layer> has more than 3 attributes"},
		{irxml.Limits{TensorBytes: 23}, "f32[2,3] needs 24 bytes, more than the limit of 23"},
	} {
		opts := irxml.ReadOptions{Limits: c.limits}
		_, err := irxml.ReadFile(path, opts)
		assert.ErrorContains(t, err, c.message)
		_, err = irxml.ReadFS(fsys, "m.xml", opts)
		assert.ErrorContains(t, err, c.message)
		_, err = irxml.Read([]byte(smallXML), smallBin, opts)
		assert.ErrorContains(t, err, c.message)
		_, err = irxml.ReadFrom(strings.NewReader(smallXML), bytes.NewReader(smallBin), opts)
		assert.ErrorContains(t, err, c.message)
	}
	exact := irxml.ReadOptions{Limits: irxml.Limits{XMLBytes: int64(len(smallXML)), BinBytes: 24, Layers: 4, Depth: 6, Attributes: 4, TensorBytes: 24}}
	_, err := irxml.ReadFrom(strings.NewReader(smallXML), bytes.NewReader(smallBin), exact)
	require.NoError(t, err)
	_, err = irxml.ReadFile(path, exact)
	require.NoError(t, err)
}
