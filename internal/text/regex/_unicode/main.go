// Command _unicode writes unicode.deflate from unicode.txt.
//
//	go run ./_unicode
package main

import (
	"log"
	"os"

	"github.com/vinoir/vinoir/internal/text/deflated"
)

func main() {
	text, err := os.ReadFile("_unicode/unicode.txt")
	if err != nil {
		log.Fatal(err)
	}
	data, err := deflated.Encode(string(text))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("unicode.deflate", data, 0o644); err != nil {
		log.Fatal(err)
	}
}
