package depthtospace

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: layertest.Attributes{"mode", "depth_first", "block_size", "2"}, Inputs: []string{"f32[1,8,3,4]"}, Want: "f32[1,2,6,8]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "depth_first", "block_size", "2"}, Inputs: []string{"f32[?,3..7,2..3]"}, Want: "f32[?,2..3,4..6]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "3"}, Inputs: []string{"f32[1,?,2..]"}, Want: "f32[1,?,6..]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "0"}, Inputs: []string{"f32[...]"}, Want: "f32[...]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "2"}, Inputs: []string{"f32[1,8]"}, Error: "data has shape [1,8], expected rank 3 or more"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "2"}, Inputs: []string{"f32[1,6,3,4]"}, Error: "axis 1 of data of shape [1,6,3,4] is no multiple of 4, the elements of a block"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first"}, Inputs: []string{"f32[1,6,3,4]"}, Error: "block_size 0 is below 1"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "4294967296"}, Inputs: []string{"f32[1,6,3,4]"}, Error: "blocks of block_size 4294967296 have more elements than an int64 counts"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "rows_first", "block_size", "2"}, Inputs: []string{"f32[1,6,3,4]"}, Error: "attribute mode: \"rows_first\" is none of blocks_first, depth_first"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "depth_first", "block_size", "2"}, Inputs: []string{"i64[1,4,2]=0,1,2,3,4,5,6,7"}, Want: "i64[1,2,4]=0,2,1,3,4,6,5,7"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "2"}, Inputs: []string{"i64[1,4,2]=0,1,2,3,4,5,6,7"}, Want: "i64[1,2,4]=0,4,1,5,2,6,3,7"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "2"}, Inputs: []string{"i64[1,4,1,1]=0,1,2,3"}, Want: "i64[1,1,2,2]=0,1,2,3"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "2"}, Inputs: []string{"i64[1,4,1,1]=0,1,2,3..4"}, Want: "i64[1,1,2,2]"},
		{Version: 1, Attributes: layertest.Attributes{"mode", "blocks_first", "block_size", "2"}, Inputs: []string{"i64[1,4,0,1]="}, Want: "i64[1,1,0,2]"},
	})
}
