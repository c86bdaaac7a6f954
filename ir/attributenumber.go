package ir

import (
	"math"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// splitList splits a comma-separated list. An empty text has no items, and an item that is
// empty after the last comma is dropped.
func splitList(s string) []string {
	items := strings.Split(s, ",")
	if strings.TrimSpace(items[len(items)-1]) == "" {
		items = items[:len(items)-1]
	}
	return items
}

// leadingInt parses the integer at the start of s, as OpenVINO does: leading white space and
// text after the integer are ignored; a plus sign is an error.
func leadingInt(s string) (int64, error) {
	t := strings.TrimLeft(s, " \t\r\n")
	end := 0
	if end < len(t) && t[end] == '-' {
		end++
	}
	end += digits(t[end:])
	n, err := strconv.ParseInt(t[:end], 10, 64)
	if err != nil {
		return 0, faults.Errorf("%q is not a 64-bit whole number", s)
	}
	return n, nil
}

// leadingFloat parses the float64 at the start of s, as OpenVINO does: white space around it
// and text after it are ignored; an exponent without digits is an error. The infinities and NaN
// must be the whole text: inf, -inf or nan.
func leadingFloat(s string) (float64, error) {
	t := strings.TrimSpace(s)
	switch t {
	case "nan":
		return math.NaN(), nil
	case "inf":
		return math.Inf(1), nil
	case "-inf":
		return math.Inf(-1), nil
	}
	end := 0
	if end < len(t) && (t[end] == '-' || t[end] == '+') {
		end++
	}
	end += digits(t[end:])
	if end < len(t) && t[end] == '.' {
		end++
		end += digits(t[end:])
	}
	if end < len(t) && (t[end] == 'e' || t[end] == 'E') {
		end++
		if end < len(t) && (t[end] == '-' || t[end] == '+') {
			end++
		}
		end += digits(t[end:])
	}
	f, err := strconv.ParseFloat(t[:end], 64)
	if err != nil {
		return 0, faults.Errorf("%q is not a number", s)
	}
	return f, nil
}

// digits returns the number of decimal digits at the start of s.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
