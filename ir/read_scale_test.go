package ir_test

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// readTime returns the shortest of a few times that it takes to read xml.
func readTime(t *testing.T, xml []byte) time.Duration {
	best := time.Hour
	for range 3 {
		start := time.Now()
		_, err := ir.Read(xml, make([]byte, 256), ir.ReadOptions{})
		require.NoError(t, err)
		best = min(best, time.Since(start))
	}
	return best
}

func TestReadIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 200,000 layers")
	}
	small, large := readTime(t, chainXML(20_000)), readTime(t, chainXML(200_000))
	assert.Less(t, large, 30*small, "ten times the layers")
}

// Shapes of graphs for which careless look-ups take quadratic time.
func TestReadIsLinearInPorts(t *testing.T) {
	wide := func(n int) []byte {
		var b bytes.Buffer
		b.WriteString(`<net version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1"><data/><output>`)
		b.WriteString(strings.Repeat(`<port id="1" precision="FP32" names="t"/>`, 10))
		b.WriteString(`</output></layer><layer id="7" name="split" type="Split" version="opset1"><input><port id="0"/></input><output>`)
		for i := range n {
			b.WriteString(`<port id="` + strconv.Itoa(i+1) + `" precision="FP32" names="t"/>`)
		}
		b.WriteString(`</output></layer><layer id="8" name="concat" type="Concat" version="opset1"><input>`)
		for i := range n {
			b.WriteString(`<port id="` + strconv.Itoa(i) + `"/>`)
		}
		b.WriteString(`</input><output><port id="9" precision="FP32"/></output></layer><layer id="9" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer></layers><edges>
<edge from-layer="0" from-port="1" to-layer="7" to-port="0"/><edge from-layer="8" from-port="9" to-layer="9" to-port="0"/>`)
		for i := range n {
			b.WriteString(`<edge from-layer="7" from-port="` + strconv.Itoa(n-i) + `" to-layer="8" to-port="` + strconv.Itoa(i) + `"/>`)
		}
		b.WriteString(`</edges></net>`)
		return b.Bytes()
	}
	small, large := readTime(t, wide(2_000)), readTime(t, wide(20_000))
	assert.Less(t, large, 40*small, "ten times the ports")
}

// allocatedBytes returns what f allocates, garbage included.
func allocatedBytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestReadAllocations(t *testing.T) {
	xml := chainXML(2_000)
	bin := make([]byte, 256)
	allocs := testing.AllocsPerRun(3, func() {
		_, err := ir.Read(xml, bin, ir.ReadOptions{})
		require.NoError(t, err)
	})
	assert.Less(t, allocs, 8.0*2_000, "allocations for each layer")
	size := allocatedBytes(func() {
		_, err := ir.Read(xml, bin, ir.ReadOptions{})
		require.NoError(t, err)
	})
	assert.Less(t, size, uint64(4*len(xml)), "bytes for each byte of the XML")
}

// Documents that are small, and that a tree of their elements would blow up.
func TestReadOfHostileXMLAllocatesLittle(t *testing.T) {
	const mib = 1 << 20
	port := `<layer id="0" name="x" type="Parameter" version="opset1"><data/><output><port id="0" precision="FP32">`
	for name, c := range map[string]struct {
		xml   string
		limit uint64
	}{
		"dims":        {`<net version="11"><layers>` + port + strings.Repeat("<dim>1</dim>", 100_000) + `</port></output></layer></layers></net>`, 12 * mib},
		"attributes":  {`<net version="11" ` + strings.Repeat(`a="" `, 200_000) + `/>`, mib},
		"names":       {`<net version="11"` + attributes(200_000) + `/>`, mib},
		"unread":      {`<net version="11">` + strings.Repeat("<a><b/></a>", 100_000) + `</net>`, mib},
		"nesting":     {`<net version="11">` + strings.Repeat("<a>", 500_000), mib},
		"references":  {`<net version="11" name="` + strings.Repeat("&lt;", 250_000) + `"/>`, 8 * mib},
		"edges":       {`<net version="11"><edges>` + strings.Repeat(`<edge from-layer="0" from-port="0" to-layer="0" to-port="0"/>`, 20_000) + `</edges></net>`, 8 * mib},
		"entity bomb": {`<!DOCTYPE a [<!ENTITY a "` + strings.Repeat("b", 1000) + `">]><net version="11" name="` + strings.Repeat("&a;", 100_000) + `"/>`, 8 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			size := allocatedBytes(func() { _, _ = ir.Read([]byte(c.xml), nil, ir.ReadOptions{}) })
			// The conversion of the string to bytes counts too.
			assert.Less(t, size, c.limit+uint64(len(c.xml)))
			assert.Less(t, time.Since(start), 10*time.Second)
		})
	}
}

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" a" + strconv.Itoa(i) + `=""`)
	}
	return b.String()
}
