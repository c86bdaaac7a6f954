// Command site builds the documentation of vinoir as a static site. Run it in the root of the module:
//
//	go run ./docs/site [DIR]
//
// It writes the pages to DIR, by default _site. They are plain files: a browser opens them without a server, and they
// load nothing from elsewhere.
package main

import (
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	log.SetFlags(0)
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./docs/site [DIR]") }
	flag.Parse()
	dir := "_site"
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	if err := run(".", dir); err != nil {
		log.Fatal(err)
	}
}

// run builds the site of the module at root and writes it to dir.
func run(root, dir string) error {
	files, err := build(os.DirFS(root))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}
