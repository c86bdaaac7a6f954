//go:build !unix

package main

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: the owner is that of the process.
func keepOwner(*os.File, fs.FileInfo) {}
