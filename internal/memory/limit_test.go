package memory

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
)

func TestLimitIn(t *testing.T) {
	const meminfo = "MemTotal:       1000 kB\nMemFree: 5 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing":         {nil, 0},
		"machine":         {map[string]string{"proc/meminfo": meminfo}, 1000 << 10},
		"broken":          {map[string]string{"proc/meminfo": "MemTotal: x kB\nMemTotal:\n", "proc/self/cgroup": "0\n::\n\n", "sys/fs/cgroup/memory.max": ""}, 0},
		"no limit":        {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 1000 << 10},
		"version 2":       {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b.service\n", "sys/fs/cgroup/a/b.service/memory.max": "5000\n"}, 5000},
		"above":           {map[string]string{"proc/self/cgroup": "0::/a/b/c\n", "sys/fs/cgroup/a/memory.max": "4000\n", "sys/fs/cgroup/a/b/memory.max": "5000\n"}, 4000},
		"container":       {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../../elsewhere\n", "sys/fs/cgroup/memory.max": "3000\n"}, 3000},
		"version 1":       {map[string]string{"proc/self/cgroup": "5:cpu:/x\n3:memory:/docker/1\n", "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "2000\n"}, 2000},
		"other hierarchy": {map[string]string{"proc/self/cgroup": "5:cpu:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "2000\n"}, 0},
	} {
		fsys := fstest.MapFS{}
		for path, text := range test.files {
			fsys[path] = &fstest.MapFile{Data: []byte(text)}
		}
		assert.Equal(t, test.want, limitIn(fsys), name)
	}
	assert.GreaterOrEqual(t, Limit(), int64(0))
}
