package cpu

import (
	"os"

	"golang.org/x/sys/unix"
)

// fastCores returns the number of fast cores that the process may run on, or n if the system does
// not say.
func fastCores(n int) int {
	var set unix.CPUSet
	if n == 1 || unix.SchedGetaffinity(0, &set) != nil {
		return n
	}
	left := set.Count()
	cores := make([]int, 0, left)
	for core := 0; len(cores) < left; core++ {
		if set.IsSet(core) {
			cores = append(cores, core)
		}
	}
	return max(fastIn(os.DirFS("/"), cores), 1)
}
