package memory

import "os"

// Limit returns the memory that the process can use, in bytes: that of the machine, or less if its
// control group has a limit. It returns 0 if the system does not say.
func Limit() int64 { return limitIn(os.DirFS("/")) }
