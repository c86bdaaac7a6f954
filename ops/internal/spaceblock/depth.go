package spaceblock

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// DepthAttributes are the attributes of DepthToSpace and SpaceToDepth.
type DepthAttributes struct {
	BlockSize  int64 // length of a block along each spatial axis
	DepthFirst bool
}

// ParseDepthAttributes parses the attributes. Like OpenVINO it accepts any block_size; Check
// refuses invalid ones.
func ParseDepthAttributes(a *ir.Attributes) (any, error) {
	a.Expect("mode")
	return DepthAttributes{
		BlockSize:  a.Int("block_size", 0),
		DepthFirst: a.Enum("mode", "blocks_first", "blocks_first", "depth_first") == "depth_first",
	}, a.Err()
}

// Check checks the shape of data, whose rank must be known, and the block size.
func (d DepthAttributes) Check(data ir.PartialShape) error {
	if data.Rank() < 3 {
		return faults.Errorf("data has shape %v, expected rank 3 or more", data)
	}
	if d.BlockSize < 1 {
		return faults.Errorf("block_size %d is below 1", d.BlockSize)
	}
	return nil
}
