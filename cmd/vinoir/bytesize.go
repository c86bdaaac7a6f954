package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// byteSize is a flag with a number of bytes: "1000", "64K", "128M", "2G" or "1T", in powers of
// 1024.
type byteSize int64

// String returns the size in the largest unit of which it is a multiple.
func (s *byteSize) String() string {
	n, unit := int64(*s), ""
	for _, next := range []string{"K", "M", "G", "T"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, next
	}
	return strconv.FormatInt(n, 10) + unit
}

// Set parses a size. It implements pflag.Value.
func (s *byteSize) Set(text string) error {
	digits := strings.TrimRight(text, "KMGTkmgt")
	shift := 0
	if unit := text[len(digits):]; len(unit) == 1 {
		shift = 10 * (1 + strings.Index("KMGT", strings.ToUpper(unit)))
	} else if unit != "" {
		return errors.New("not a number of bytes such as 1000, 64M or 2G")
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return errors.New("not a number of bytes such as 1000, 64M or 2G")
	}
	*s = byteSize(n << shift)
	return nil
}

// Type implements pflag.Value.
func (s *byteSize) Type() string { return "SIZE" }
