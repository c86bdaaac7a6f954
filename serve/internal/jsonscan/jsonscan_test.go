package jsonscan_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

func TestScanner(t *testing.T) {
	s := jsonscan.New([]byte(` {"a": [1, "x\n", true, false, null, 2.5], "\u0062" : {"c":-7} } `), 3)
	var names []string
	require.Equal(t, byte('{'), s.Kind())
	require.NoError(t, s.Object(func(name []byte) error {
		names = append(names, string(name))
		if len(names) == 2 {
			return s.Object(func(name []byte) error {
				require.Equal(t, "c", string(name))
				n, err := s.Int()
				require.Equal(t, int64(-7), n)
				return err
			})
		}
		return s.Array(func(i int) error {
			value, err := s.Value()
			require.Equal(t, []any{int64(1), "x\n", true, false, nil, 2.5}[i], value)
			return err
		})
	}))
	require.Equal(t, []string{"a", "b"}, names)
	require.NoError(t, s.End())
	require.Equal(t, byte(0), s.Kind())
}

func TestScanner_Raw(t *testing.T) {
	s := jsonscan.New([]byte(` [{"a":[]},{}] ,`), 3)
	raw, err := s.Raw()
	require.NoError(t, err)
	require.Equal(t, `[{"a":[]},{}]`, string(raw))
	require.ErrorContains(t, s.End(), "at byte 15: expected its end, found ','")
}

func TestScanner_Value(t *testing.T) {
	for text, want := range map[string]any{
		"9223372036854775807":  int64(math.MaxInt64),
		"18446744073709551615": uint64(math.MaxUint64),
		"1e3":                  1000.0,
		"[[1],{}]":             nil,
		`"é"`:                  "é",
	} {
		value, err := jsonscan.New([]byte(text), 2).Value()
		require.NoError(t, err)
		require.Equal(t, want, value)
	}
	_, err := jsonscan.New([]byte("1e999"), 2).Value()
	require.ErrorContains(t, err, "fits 64 bits")
	_, err = jsonscan.New([]byte("-"), 2).Value()
	require.ErrorContains(t, err, "the JSON ends at byte 1: expected a number")
}

func TestScanner_errors(t *testing.T) {
	for text, want := range map[string]string{
		"":               "the JSON ends at byte 0: expected a value",
		"{":              "expected a string",
		"{1:2}":          "at byte 1: expected a string, found '1'",
		`{"a" 1}`:        "expected ':', found '1'",
		`{"a":1,}`:       "expected a string, found '}'",
		`{"a":1 "b":2}`:  "expected ',' or '}', found '\"'",
		"[1,]":           "expected a value, found ']'",
		"[1 2]":          "expected ',' or ']', found '2'",
		"tru":            "expected true",
		"falsy":          "expected false",
		"nul":            "expected null",
		"-":              "expected a number",
		"'a'":            "expected a value, found '\\''",
		`"a`:             "expected the end of a string",
		"\"a\nb\"":       "at byte 2: expected the end of a string, found '\\n'",
		`"\x"`:           "expected an escape that JSON has",
		`"\`:             "expected the rest of an escape",
		`"\u00g0"`:       "four hexadecimal digits",
		`"\ud800\u0041"`: "second half of a surrogate pair",
		`"\udc00"`:       "second half of a surrogate pair",
		"[[[[1]]]]":      "nested deeper than the limit of 3 at byte 3",
		"{} x":           "expected its end",
	} {
		s := jsonscan.New([]byte(text), 3)
		err := s.Skip()
		if err == nil {
			err = s.End()
		}
		require.ErrorContains(t, err, want, text)
		require.Equal(t, oip.Malformed, oip.ErrorOf(err).Code)
	}
	s := jsonscan.New([]byte("1"), 3)
	require.ErrorContains(t, s.Object(nil), "expected an object")
	require.ErrorContains(t, s.Array(nil), "expected an array")
	_, err := s.Bool()
	require.ErrorContains(t, err, "expected true or false")
	_, err = s.String()
	require.ErrorContains(t, err, "expected a string")
	for _, text := range []string{"1.5", "9223372036854775808"} {
		_, err = jsonscan.New([]byte(text), 3).Int()
		require.ErrorContains(t, err, "expected an integer of 64 bits")
	}
	_, err = jsonscan.New([]byte("x"), 3).Int()
	require.ErrorContains(t, err, "expected a number")
	_, err = jsonscan.New([]byte("x"), 3).Raw()
	require.ErrorContains(t, err, "expected a value")
}

func TestDecimal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{
		"0", "-0", "0.0", "0e9", "1e-400", "-1e400", "1e99999999999", "1e-99999999999", "9007199254740993", "0.1e1", "1E+2",
		"1.17549435e-38", "1.1754943e-38", "1e-45", "7e-46", "16777217", "16777217.0000000000001", "3.4028235677973366e38", "3.4028235677973362e38",
		"18446744073709551615", "18446744073709551616", "0.00000000000000000000000000001", "100000000000000000000000",
	}
	for range 20_000 {
		switch random.IntN(5) {
		case 0:
			texts = append(texts, strconv.FormatFloat(float64(math.Float32frombits(random.Uint32())), 'g', -1, 64))
		case 1:
			texts = append(texts, strconv.FormatFloat(math.Float64frombits(random.Uint64()), 'g', -1, 64))
		case 2:
			texts = append(texts, strconv.FormatFloat(random.NormFloat64(), 'f', 1+random.IntN(24), 64))
		case 3:
			// Points in the middle of two float32, and numbers close to them.
			f := math.Float32frombits(random.Uint32()&0x3FFFFFFF | 0x30000000)
			middle := (float64(f) + float64(math.Nextafter32(f, 2*f))) / 2
			texts = append(texts, strconv.FormatFloat(middle+float64(random.IntN(3)-1)*middle*0x1p-52, 'f', -1, 64))
		default:
			texts = append(texts, fmt.Sprintf("%d.%de%d", random.Int64N(1e9), random.Int64N(1e9), random.IntN(60)-30))
		}
	}
	for _, text := range texts {
		if strings.ContainsAny(text, "IN") {
			continue // an infinity or NaN
		}
		d, end, ok := jsonscan.ReadDecimal([]byte(text+","), 0)
		require.True(t, ok, text)
		require.Equal(t, len(text), end, text)
		want, _ := strconv.ParseFloat(text, 64)
		require.Equal(t, math.Float64bits(want), math.Float64bits(d.Float64([]byte(text))), text)
		want, _ = strconv.ParseFloat(text, 32)
		require.Equal(t, math.Float32bits(float32(want)), math.Float32bits(d.Float32([]byte(text))), text)
		require.Equal(t, !strings.ContainsAny(text, ".eE"), d.Integer, text)
	}
}

func TestAppendText(t *testing.T) {
	for _, text := range []string{"", "a", "\x00\x1f\"\\/\n\r\t<>&", "é😀\u2028"} {
		b, ok := jsonscan.AppendText([]byte("x"), text)
		require.True(t, ok)
		var back string
		require.NoError(t, json.Unmarshal(b[1:], &back))
		require.Equal(t, text, back)
	}
	b, ok := jsonscan.AppendText([]byte("x"), "\xff")
	require.False(t, ok)
	require.Equal(t, "x", string(b))
}

// FuzzScanner compares what is JSON, and what strings are, with encoding/json.
func FuzzScanner(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e3,"x\u00e9\n",true,null]}`, "[[[]]]", `"\ud83d\ude00"`, "0123", "1.", "\"\xff\""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := jsonscan.New(data, 100)
		err := s.Skip()
		if err == nil {
			err = s.End()
		}
		if err == nil {
			require.True(t, json.Valid(data), "%q", data)
		} else if json.Valid(data) && utf8.Valid(data) && !strings.Contains(string(data), `\u`) {
			require.ErrorContains(t, err, "nested deeper")
		}
		var want string
		if text, err := jsonscan.New(data, 1).String(); err == nil && json.Unmarshal(data, &want) == nil {
			require.Equal(t, want, text)
		}
	})
}
