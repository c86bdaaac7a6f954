package ops

import "github.com/vinoir/vinoir/internal/index"

// IndexError is the error that the scatter and gather families return for an index that is out of
// range. It holds the position of the index, its value, and the valid range. Find it with
// errors.As.
type IndexError = index.Error
