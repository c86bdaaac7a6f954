package memory

import (
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// limitIn returns the memory of the machine, or less if a control group of the process or one above
// it has a limit. fsys is the root of the file system of Linux. It returns 0 if the files do not
// say.
func limitIn(fsys fs.FS) int64 {
	limit := int64(0)
	lower := func(n int64) {
		if n > 0 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	for _, line := range lines(fsys, "proc/meminfo") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kB, _ := strconv.ParseInt(fields[1], 10, 53)
			lower(kB << 10)
		}
	}
	// Version 2 has one hierarchy, 0::PATH. In version 1 there is one for memory, N:memory:PATH. In
	// a container the path may be that of the host, but the files at the root are those of the
	// container.
	for _, line := range append(lines(fsys, "proc/self/cgroup"), "0::/", "0:memory:/") {
		id, rest, _ := strings.Cut(line, ":")
		controllers, group, _ := strings.Cut(rest, ":")
		root, file := "sys/fs/cgroup", "memory.max"
		switch {
		case id == "0" && controllers == "":
		case controllers == "memory":
			root, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group = path.Clean("/" + group); ; group = path.Dir(group) {
			for _, text := range lines(fsys, path.Join(root, group, file)) {
				n, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64) // "max" is no number
				lower(n)
			}
			if group == "/" {
				break
			}
		}
	}
	return limit
}

// lines returns the lines of a file, without those after the first 64 KiB; none if it cannot be
// read.
func lines(fsys fs.FS, name string) []string {
	file, err := fsys.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	start, _ := io.ReadAll(io.LimitReader(file, 1<<16))
	return strings.Split(string(start), "\n")
}
