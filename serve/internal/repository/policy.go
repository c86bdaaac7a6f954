package repository

import "slices"

// Policy selects the versions of a model that are served. The zero value selects the latest one.
type Policy struct {
	// All selects all versions.
	All bool
	// Specific lists versions; nil means that Latest decides.
	Specific []int64
	// Latest is the number of versions, those with the highest numbers. 0 means 1.
	Latest int
}

// selects returns the numbers that p selects of numbers, which are sorted.
func (p Policy) selects(numbers []int64) []int64 {
	switch {
	case p.All:
		return numbers
	case p.Specific != nil:
		return slices.DeleteFunc(slices.Clone(numbers), func(n int64) bool { return !slices.Contains(p.Specific, n) })
	}
	return numbers[max(0, len(numbers)-max(p.Latest, 1)):]
}
