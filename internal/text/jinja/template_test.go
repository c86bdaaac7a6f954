package jinja_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/jinja"
)

// goldenCase is a line of testdata/cases.jsonl, which testdata/make.py writes.
type goldenCase struct {
	Template string `json:"t"`
	// Out is what Hugging Face's transformers renders, nil for an error.
	Out *string `json:"out"`
	Err string  `json:"err"`
}

// golden returns the variables and the cases of a file.
func golden(t testing.TB, path string) (map[string]jinja.Value, []goldenCase) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	require.True(t, lines.Scan())
	var first struct{ Vars json.RawMessage }
	require.NoError(t, json.Unmarshal(lines.Bytes(), &first))
	var cases []goldenCase
	for lines.Scan() {
		var c goldenCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		cases = append(cases, c)
	}
	return variables(t, string(first.Vars)), cases
}

// variables returns the fields of a JSON object as values.
func variables(t testing.TB, text string) map[string]jinja.Value {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	_, err := d.Token()
	require.NoError(t, err)
	all := make(map[string]jinja.Value)
	for d.More() {
		key, err := d.Token()
		require.NoError(t, err)
		all[key.(string)] = value(t, d)
	}
	return all
}

func value(t testing.TB, d *json.Decoder) jinja.Value {
	token, err := d.Token()
	require.NoError(t, err)
	switch token := token.(type) {
	case nil:
		return jinja.None
	case json.Number:
		if i, err := token.Int64(); err == nil {
			return i
		}
		if n, ok := new(big.Int).SetString(string(token), 10); ok {
			return n
		}
		f, err := token.Float64()
		require.NoError(t, err)
		return f
	case json.Delim:
		if token == '[' {
			var items []jinja.Value
			for d.More() {
				items = append(items, value(t, d))
			}
			_, err = d.Token()
			require.NoError(t, err)
			return jinja.NewList(items)
		}
		object := jinja.NewDict(0)
		for d.More() {
			key, err := d.Token()
			require.NoError(t, err)
			object.Set(key.(string), value(t, d))
		}
		_, err = d.Token()
		require.NoError(t, err)
		return object
	}
	return token
}

func render(ctx context.Context, source string, variables map[string]jinja.Value, options jinja.Options) (string, error) {
	template, err := jinja.Parse(source)
	if err != nil {
		return "", err
	}
	return template.Render(ctx, variables, options)
}

func TestGolden(t *testing.T) {
	path := "testdata/cases.jsonl"
	if p := os.Getenv("VINOIR_JINJA_CASES"); p != "" {
		path = p // of the same form
	}
	vars, cases := golden(t, path)
	for _, c := range cases {
		got, err := render(t.Context(), c.Template, vars, jinja.Options{})
		if c.Out == nil {
			assert.Error(t, err, "%q: Jinja says %s", c.Template, c.Err)
			continue
		}
		if assert.NoError(t, err, "%q", c.Template) {
			assert.Equal(t, *c.Out, got, "%q", c.Template)
		}
	}
}
