package irxml_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/ir/irxml"
)

// FuzzWrite writes what it reads, and reads that again. Only what the format cannot hold may be
// refused.
func FuzzWrite(f *testing.F) {
	for _, xml := range fuzzSeeds(f) {
		f.Add(xml, smallBin)
		f.Add(xml, packStrings("a", "bc"))
	}
	f.Fuzz(func(t *testing.T, xml, bin []byte) {
		limittest.Run(t, stageLimits, func(context.Context) {
			m, err := irxml.Read(xml, bin, irxml.ReadOptions{Limits: fuzzLimits})
			if err != nil {
				return
			}
			for _, options := range []irxml.WriteOptions{{}, {CompressToFP16: true, Align: true}} {
				document, weights, err := written(m, options)
				if err != nil {
					require.ErrorContains(t, err, "cannot be written")
					return
				}
				_, err = irxml.Read(document, weights, irxml.ReadOptions{})
				require.NoError(t, err)
			}
			(&comparison{t: t}).roundTrip(m)
		})
	})
}
