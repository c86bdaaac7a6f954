package main

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/plugin"
)

// TestPortInfos_names has many ports with many names: each shows some, until all together are too
// many.
func TestPortInfos_names(t *testing.T) {
	var names []string
	for i := range 10_000 {
		names = append(names, "t"+strconv.Itoa(i))
	}
	ports := make([]plugin.Port, 2000)
	for i := range ports {
		ports[i].Names = names
	}
	total := 0
	infos := portInfos(ports)
	for _, info := range infos {
		for _, name := range info.Names {
			total += len(name)
		}
	}
	assert.Greater(t, len(infos[0].Names), 100)
	assert.Equal(t, []string{"t0", "... (10000 names)"}, infos[1999].Names)
	assert.Less(t, total, maxAllNames+100*len(ports))
}
