package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// splitList cuts a comma list; a trailing comma and an empty text end no item.
func splitList(s string) []string {
	items := strings.Split(s, ",")
	if strings.TrimSpace(items[len(items)-1]) == "" {
		items = items[:len(items)-1]
	}
	return items
}

// leadingInt parses the whole number that s starts with, as OpenVINO does: blanks
// before it and anything behind it are passed over, a plus sign is not.
func leadingInt(s string) (int64, error) {
	t := strings.TrimLeft(s, " \t\r\n")
	end := 0
	if end < len(t) && t[end] == '-' {
		end++
	}
	end += digits(t[end:])
	n, err := strconv.ParseInt(t[:end], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a 64-bit whole number", s)
	}
	return n, nil
}

// leadingFloat parses the number that s starts with: a number of 64 bits, whose
// exponent must have digits, or the whole of s is inf, -inf or nan.
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
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return f, nil
}

// digits returns how many decimal digits s starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
