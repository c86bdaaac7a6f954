// Package treemode has the numbers of what the nodes of decision trees compare with: those of the
// layer type TreeEnsemble, which are those of ONNX's TreeEnsemble too.
package treemode

// Comparisons of a feature with a number.
const (
	LessOrEqual = iota
	Less
	GreaterOrEqual
	Greater
	Equal
	NotEqual
	// Count is the number of comparisons. In ONNX, it stands for being a member of a set.
	Count

	// OrMissing is added to a comparison after which NaN goes to the first child, whatever the
	// result.
	OrMissing = 8
)
