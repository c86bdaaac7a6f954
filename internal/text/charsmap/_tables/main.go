// Command _tables writes the files of tables.go from the tables of code points that OpenVINO's
// built-in maps make: casefold.tsv, nfc.tsv, nfd.tsv and nfkd.tsv. The other tables follow from
// these.
//
//	go run ./_tables -from FOLDER
package main

import (
	"bufio"
	"bytes"
	"flag"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/text/deflated"
)

func main() {
	from := flag.String("from", "", "the folder of the tables")
	flag.Parse()
	fold, nfc, nfd, nfkd := read(*from, "casefold"), read(*from, "nfc"), read(*from, "nfd"), read(*from, "nfkd")
	composed, decomposed := map[rune]string{}, map[rune]string{}
	for r, value := range nfd {
		if _, ok := nfc[r]; ok {
			decomposed[r] = value
		} else {
			composed[r] = value
		}
		delete(nfkd, r) // its decomposition is that of the characters of value
	}
	write("composed", composed)
	write("decomposed", decomposed)
	write("compatible", nfkd)
	write("folded", fold)
}

// read reads a table: the code point, a tab, and the code points that it becomes.
func read(folder, name string) map[rune]string {
	data, err := os.ReadFile(filepath.Join(folder, name+".tsv"))
	if err != nil {
		log.Fatal(err)
	}
	table := map[rune]string{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "\t")
		text := ""
		for field := range strings.FieldsSeq(value) {
			text += string(parse(field))
		}
		table[parse(key)] = text
	}
	return table
}

func parse(hex string) rune {
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		log.Fatal(err)
	}
	return rune(v)
}

// Code points that UTF-8 does not encode. Package charsmap has the same constants.
const (
	surrogates     = 0xD800
	surrogateCount = 0x800
)

// write writes a table in the form that tables.go describes.
func write(name string, table map[rune]string) {
	text, last := "", rune(0)
	for _, r := range slices.Sorted(maps.Keys(table)) {
		distance := r - last
		if distance >= surrogates { // a string cannot hold these as code points
			distance += surrogateCount
		}
		text += string(distance) + table[r] + "\x00"
		last = r
	}
	data, err := deflated.Encode(text)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name+".deflate", data, 0o644); err != nil {
		log.Fatal(err)
	}
}
