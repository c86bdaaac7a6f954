package spaceblock

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// Depth are the attributes of DepthToSpace and SpaceToDepth.
type Depth struct {
	Size       int64 // of a block along each axis of space
	DepthFirst bool
}

// ParseDepth reads the attributes. Like OpenVINO it leaves a size that no block has to
// Check.
func ParseDepth(a *ir.Attributes) (any, error) {
	a.Expect("mode")
	return Depth{
		Size:       a.Int("block_size", 0),
		DepthFirst: a.Enum("mode", "blocks_first", "blocks_first", "depth_first") == "depth_first",
	}, a.Err()
}

// Check checks data, whose rank is known, and the size of a block.
func (d Depth) Check(data ir.PartialShape) error {
	if data.Rank() < 3 {
		return fmt.Errorf("data has shape %v, expected rank 3 or more", data)
	}
	if d.Size < 1 {
		return fmt.Errorf("block_size %d is below 1", d.Size)
	}
	return nil
}
