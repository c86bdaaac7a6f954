//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives file the owner and group of like, as far as the user may.
func keepOwner(file *os.File, like fs.FileInfo) {
	stat, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if file.Chown(int(stat.Uid), int(stat.Gid)) != nil {
		_ = file.Chown(-1, int(stat.Gid))
	}
}
