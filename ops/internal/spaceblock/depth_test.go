package spaceblock

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

func TestParseDepth(t *testing.T) {
	parse := func(data ...ir.Attribute) (any, error) {
		return ParseDepthAttributes(ir.AttributesOf(&ir.Layer{Data: data}))
	}
	d, err := parse(ir.Attribute{Name: "mode", Value: "depth_first"}, ir.Attribute{Name: "block_size", Value: "2"})
	assert.NoError(t, err)
	assert.Equal(t, DepthAttributes{BlockSize: 2, DepthFirst: true}, d)
	d, err = parse()
	assert.NoError(t, err)
	assert.Equal(t, DepthAttributes{}, d)
	_, err = parse(ir.Attribute{Name: "mode", Value: "last"})
	assert.EqualError(t, err, `attribute mode: "last" is none of blocks_first, depth_first`)
}

func TestDepth_Check(t *testing.T) {
	assert.NoError(t, DepthAttributes{BlockSize: 1}.Check(ir.ShapeOfRank(3)))
	assert.EqualError(t, DepthAttributes{BlockSize: 1}.Check(ir.ShapeOfRank(2)), "data has shape [?,?], expected rank 3 or more")
	assert.EqualError(t, DepthAttributes{}.Check(ir.ShapeOfRank(3)), "block_size 0 is below 1")
}
