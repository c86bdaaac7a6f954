package irxml_test

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/irxml"
)

// assertLinear checks that the time to read large, which is ten times as long as small, is not much
// more than ten times that of small. It tries several times, because other work on the machine
// disturbs single measurements, but does not make quadratic code linear. No time is compared with a
// fixed one.
func assertLinear(t *testing.T, small, large []byte) {
	var ratio float64
	for range 6 {
		if ratio = float64(readTime(t, large)) / float64(readTime(t, small)); ratio < 30 {
			return
		}
	}
	assert.Fail(t, "not linear", "ten times the size takes %.0f times as long", ratio)
}

func readTime(t *testing.T, xml []byte) time.Duration {
	start := time.Now()
	_, err := irxml.Read(xml, make([]byte, 256), irxml.ReadOptions{})
	require.NoError(t, err)
	return time.Since(start)
}

func TestReadIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 200,000 layers")
	}
	assertLinear(t, chainXML(20_000), chainXML(200_000))
}

// wideXML returns a model of a Split with n outputs and a Concat with n inputs. All tensors
// have the same name.
func wideXML(n int) []byte {
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

// TestReadIsLinearInPorts has ports, edges and names that could be looked up in quadratic time.
func TestReadIsLinearInPorts(t *testing.T) {
	assertLinear(t, wideXML(5_000), wideXML(50_000))
}

// namesXML returns a model of two tensors with the same n names. A Result gives one of them n
// more names.
func namesXML(n int) []byte {
	list := names(n)
	return []byte(`<net version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1"><data/><output><port id="0" precision="FP32" names="` + list +
		`"/></output></layer><layer id="1" name="abs" type="Abs" version="opset1"><input><port id="0"/></input><output><port id="1" precision="FP32" names="` + list +
		`"/></output></layer><layer id="2" name="y" type="Result" version="opset1" output_names="` + strings.ReplaceAll(list, ",", "y,") +
		`"><input><port id="0"/></input></layer></layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>`)
}

// halfInputsXML returns a model of version 10 with n inputs of f16, each with a Result.
func halfInputsXML(n int) []byte {
	var layers, edges strings.Builder
	for i := range n {
		x, y := strconv.Itoa(2*i), strconv.Itoa(2*i+1)
		layers.WriteString(`<layer id="` + x + `" name="` + x + `" type="Parameter" version="opset1"><data element_type="f16" shape="1"/><output><port id="0" precision="FP16"/></output></layer><layer id="` +
			y + `" name="" type="Result" version="opset1"><input><port id="0"/></input></layer>`)
		edges.WriteString(`<edge from-layer="` + x + `" from-port="0" to-layer="` + y + `" to-port="0"/>`)
	}
	return []byte(`<net version="10"><layers>` + layers.String() + `</layers><edges>` + edges.String() + `</edges></net>`)
}

// variableXML returns a model of n ReadValues and n Assigns of one variable.
func variableXML(n int) []byte {
	var layers, edges strings.Builder
	for i := range n {
		read, assign := strconv.Itoa(2*i), strconv.Itoa(2*i+1)
		layers.WriteString(`<layer id="` + read + `" name="" type="ReadValue" version="opset6"><data variable_id="v"/><output><port id="0" precision="FP32"/></output></layer><layer id="` +
			assign + `" name="" type="Assign" version="opset6"><data variable_id="v"/><input><port id="0"/></input></layer>`)
		edges.WriteString(`<edge from-layer="` + read + `" from-port="0" to-layer="` + assign + `" to-port="0"/>`)
	}
	return []byte(`<net version="11"><layers>` + layers.String() + `</layers><edges>` + edges.String() + `</edges></net>`)
}

func TestReadIsLinearInNames(t *testing.T) {
	assertLinear(t, namesXML(5_000), namesXML(50_000))
}

// sharedNamesXML returns a model of an IR version, of a tensor with n names and n Results that read
// it.
func sharedNamesXML(version string, n int) []byte {
	var layers, edges strings.Builder
	for i := 1; i <= n; i++ {
		id := strconv.Itoa(i)
		layers.WriteString(`<layer id="` + id + `" name="" type="Result" version="opset1"><input><port id="0"/></input></layer>`)
		edges.WriteString(`<edge from-layer="0" from-port="0" to-layer="` + id + `" to-port="0"/>`)
	}
	return []byte(`<net version="` + version + `"><layers><layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="1"/><output><port id="0" precision="FP32" names="` +
		names(n) + `"/></output></layer>` + layers.String() + `</layers><edges>` + edges.String() + `</edges></net>`)
}

func TestReadIsLinearInSharedNames(t *testing.T) {
	for _, version := range []string{"10", "11"} {
		assertLinear(t, sharedNamesXML(version, 2_000), sharedNamesXML(version, 20_000))
	}
}

func TestReadIsLinearInHalfInputs(t *testing.T) {
	assertLinear(t, halfInputsXML(5_000), halfInputsXML(50_000))
}

func TestReadIsLinearInVariables(t *testing.T) {
	assertLinear(t, variableXML(5_000), variableXML(50_000))
}

// allocatedBytes returns the number of bytes that f allocates, including garbage.
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
		_, err := irxml.Read(xml, bin, irxml.ReadOptions{})
		require.NoError(t, err)
	})
	assert.Less(t, allocs, 8.0*2_000, "allocations for each layer")
	size := allocatedBytes(func() {
		_, err := irxml.Read(xml, bin, irxml.ReadOptions{})
		require.NoError(t, err)
	})
	assert.Less(t, size, uint64(4*len(xml)), "bytes for each byte of the XML")
}

// TestReadOfHostileXMLAllocatesLittle has small documents whose trees of elements would be
// large.
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
		"port names":  {`<net version="11"><layers>` + strings.Replace(port, "/><output><port", `/><output><port names="`+names(50_000)+`"`, 1) + `</port></output></layer></layers></net>`, 24 * mib},
		"edges":       {`<net version="11"><edges>` + strings.Repeat(`<edge from-layer="0" from-port="0" to-layer="0" to-port="0"/>`, 20_000) + `</edges></net>`, 8 * mib},
		"entity bomb": {`<!DOCTYPE a [<!ENTITY a "` + strings.Repeat("b", 1000) + `">]><net version="11" name="` + strings.Repeat("&a;", 100_000) + `"/>`, 8 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			size := allocatedBytes(func() { _, _ = irxml.Read([]byte(c.xml), nil, irxml.ReadOptions{}) })
			// The conversion of the string to bytes counts too.
			assert.Less(t, size, c.limit+uint64(len(c.xml)))
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

func names(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i) + ",")
	}
	return b.String()
}
