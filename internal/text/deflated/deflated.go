// Package deflated has tables that programs embed in compressed form.
package deflated

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
)

// Encode returns a table in compressed form.
func Encode(table string) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		_, err = io.WriteString(w, table)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// Decode returns the table that Encode made data of. data must be part of the program.
func Decode(data string) string {
	table, err := io.ReadAll(flate.NewReader(strings.NewReader(data)))
	if err != nil {
		panic("BUG: a table of the program is damaged: " + err.Error())
	}
	return string(table)
}
