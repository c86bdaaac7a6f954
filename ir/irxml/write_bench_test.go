package irxml_test

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/irxml"
)

func BenchmarkWrite(b *testing.B) {
	m, err := irxml.Read(chainXML(20_000), make([]byte, 256), irxml.ReadOptions{})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, irxml.Write(context.Background(), io.Discard, io.Discard, m, irxml.WriteOptions{}))
	}
}

func BenchmarkWriteFile(b *testing.B) {
	root := optest.Corpus(b)
	for _, name := range []string{"light_densenet121", "minilm_l6"} {
		m, err := irxml.ReadFile(filepath.Join(root, "zoo", name, "model.xml"), irxml.ReadOptions{MMap: true})
		require.NoError(b, err)
		path := filepath.Join(b.TempDir(), "model.xml")
		for variant, options := range map[string]irxml.WriteOptions{"plain": {}, "f16": {CompressToFP16: true}} {
			b.Run(name+"/"+variant, func(b *testing.B) {
				b.SetBytes(m.BinSize)
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, irxml.WriteFile(context.Background(), path, m, options))
				}
			})
		}
		require.NoError(b, m.Close())
	}
}
