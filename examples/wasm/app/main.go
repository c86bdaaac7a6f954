//go:build js && wasm

// Command app is the part of examples/wasm that runs in the browser. It gives the page an object
// named vinoir with two functions, which return text of JSON: open(xml, bin, labels, options), and
// classify(file).
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"syscall/js"
	"time"

	"github.com/vinoir/vinoir/examples/classifier"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/preprocess"
)

// shown is the number of labels for a picture.
const shown = 5

func main() {
	var c *classifier.Classifier
	js.Global().Set("vinoir", js.ValueOf(map[string]any{
		"open": function(func(args []js.Value) (result any, err error) {
			start := time.Now()
			c, err = open(content(args[0]), content(args[1]), args[2].String(), args[3].String())
			return opened{milliseconds(start)}, err
		}),
		"classify": function(func(args []js.Value) (any, error) { return classify(c, content(args[0])) }),
	}))
	select {}
}

// opened and classified are the results of the functions.
type (
	opened struct {
		Milliseconds float64 `json:"ms"`
	}
	classified struct {
		Labels       []classifier.Label `json:"labels"`
		Decoding     float64            `json:"decodingMs"`
		Milliseconds float64            `json:"ms"` // without decoding
	}
)

// open reads and compiles the model. options is what command wasm has written.
func open(xml, bin []byte, labels, options string) (*classifier.Classifier, error) {
	var o classifier.Options
	if err := json.Unmarshal([]byte(options), &o); err != nil {
		return nil, err
	}
	model, err := irxml.Read(xml, bin, irxml.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return classifier.New(context.Background(), model, labels, o)
}

// classify names what the picture in a file shows.
func classify(c *classifier.Classifier, file []byte) (result classified, err error) {
	start := time.Now()
	picture, err := preprocess.Decode(file, 0)
	if err != nil {
		return result, err
	}
	result.Decoding, start = milliseconds(start), time.Now()
	result.Labels, err = c.Classify(context.Background(), picture, shown)
	result.Milliseconds = milliseconds(start)
	return result, err
}

func milliseconds(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }

// content returns a copy of the bytes in a Uint8Array.
func content(array js.Value) []byte {
	data := make([]byte, array.Length())
	js.CopyBytesToGo(data, array)
	return data
}

// function returns a function for JavaScript that returns the result of f as JSON, or an error as
// {"error": "..."}.
func function(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		result, err := f(args)
		if err != nil {
			result = map[string]string{"error": err.Error()}
		}
		var text bytes.Buffer
		if err := json.NewEncoder(&text).Encode(result); err != nil {
			return `{"error": "a result that is no JSON"}`
		}
		return text.String()
	})
}
