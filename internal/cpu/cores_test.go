package cpu

import (
	"fmt"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
)

func TestFastIn(t *testing.T) {
	for name, c := range map[string]struct {
		capacities []string
		cores      []int
		want       int
	}{
		"no files":            {nil, []int{0, 1, 2, 3}, 4},
		"Raspberry Pi 5":      {[]string{"1024\n", "1024\n", "1024\n", "1024\n"}, []int{0, 1, 2, 3}, 4},
		"RK3588":              {[]string{"414\n", "414\n", "414\n", "414\n", "1024\n", "1024\n", "1024\n", "1024\n"}, []int{0, 1, 2, 3, 4, 5, 6, 7}, 4},
		"slow cores only":     {[]string{"414\n", "414\n", "1024\n"}, []int{0, 1}, 2},
		"one fast core":       {[]string{"414\n", "414\n", "1024\n"}, []int{0, 2}, 1},
		"three kinds":         {[]string{"300\n", "870\n", "870\n", "1024\n"}, []int{0, 1, 2, 3}, 3},
		"exactly half":        {[]string{"512\n", "1024\n"}, []int{0, 1}, 2},
		"just below half":     {[]string{"511\n", "1023\n"}, []int{0, 1}, 1},
		"a core without file": {[]string{"414\n", "", "1024\n"}, []int{0, 1, 2}, 3},
		"no number":           {[]string{"414\n", "fast\n"}, []int{0, 1}, 2},
		"zero":                {[]string{"0\n", "0\n"}, []int{0, 1}, 2},
	} {
		fsys := fstest.MapFS{}
		for core, text := range c.capacities {
			if text != "" {
				fsys[fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpu_capacity", core)] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		assert.Equal(t, c.want, fastIn(fsys, c.cores), name)
	}
}

func TestFastThreads(t *testing.T) {
	assert.Equal(t, 1, FastThreads(1))
	n := FastThreads(runtime.GOMAXPROCS(0))
	assert.Positive(t, n)
	assert.LessOrEqual(t, n, runtime.GOMAXPROCS(0))
}
