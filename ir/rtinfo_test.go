package ir_test

import (
	"fmt"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestRTInfoAttribute(t *testing.T) {
	doc := etree.NewDocument()
	require.NoError(t, doc.ReadFromString(`<rt_info>
		text <other name="a" value="0"/> <attribute name="b" value="1"/> <attribute name="a" value="2"/> <attribute name="a" value="3"/>
	</rt_info>`))
	assert.Equal(t, "2", ir.RTInfoAttribute(doc.Root(), "a").SelectAttrValue("value", ""))
	assert.Nil(t, ir.RTInfoAttribute(doc.Root(), "c"))
	assert.Nil(t, ir.RTInfoAttribute(nil, "a"))
}

func ExampleRTInfoAttribute() {
	convert := &ir.Layer{Type: "Convert", RTInfo: etree.NewElement("rt_info")}
	convert.RTInfo.CreateElement("attribute").CreateAttr("name", "decompression")
	fmt.Println(ir.RTInfoAttribute(convert.RTInfo, "decompression") != nil)
	fmt.Println(ir.RTInfoAttribute(convert.RTInfo, "fused_names") != nil)
	// Output:
	// true
	// false
}
