package cpu

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// FastThreads returns how many threads share a layer best: n, but no more than there are fast cores
// for. Processors such as Arm's big.LITTLE have slow cores too, and a layer takes as long as its
// slowest part.
func FastThreads(n int) int { return min(n, fastCores(n)) }

// fastIn returns how many of the given cores have at least half of the greatest capacity, by the
// files of Linux's sysfs. It returns all if the files do not say: then all cores are alike.
func fastIn(fsys fs.FS, cores []int) int {
	capacities, greatest := make([]int, 0, len(cores)), 0
	for _, core := range cores {
		text, err := fs.ReadFile(fsys, path.Join("sys/devices/system/cpu/cpu"+strconv.Itoa(core), "cpu_capacity"))
		capacity, bad := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || bad != nil || capacity <= 0 {
			return len(cores)
		}
		capacities, greatest = append(capacities, capacity), max(greatest, capacity)
	}
	fast := 0
	for _, capacity := range capacities {
		if capacity >= (greatest+1)/2 {
			fast++
		}
	}
	return fast
}
