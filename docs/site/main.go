// Command site builds the documentation of vinoir as a static site. In the root of the repository:
//
//	go -C docs run ./site [DIR]
//
// It writes the pages to DIR, by default _site in the root of the repository. They are plain files:
// a browser opens them without a server, and they load nothing from elsewhere.
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
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage: go -C docs run ./site [DIR]") }
	flag.Parse()
	if err := run("..", flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// run builds the site of the repository at root and writes it to the folder in args.
func run(root string, args []string) error {
	dir := filepath.Join(root, "_site")
	if len(args) > 0 {
		dir = args[0]
	}
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
