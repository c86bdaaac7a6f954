package ops

import "github.com/vinoir/vinoir/internal/index"

// IndexError is the error of the scatter and gather families for an index that
// is not allowed: where it stands, its value, and the allowed range. Find it with
// errors.As.
type IndexError = index.Error
