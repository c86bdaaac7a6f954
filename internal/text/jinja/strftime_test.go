package jinja_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/text/jinja"
)

// TestStrftime compares with what datetime.strftime of Python 3.11 writes on Linux.
func TestStrftime(t *testing.T) {
	now := time.Date(2026, 1, 4, 15, 6, 7, 89_000_000, time.UTC)
	for format, want := range map[string]string{
		`%a %A %b %B %h`:          "Sun Sunday Jan January Jan",
		`%c`:                      "Sun Jan  4 15:06:07 2026",
		`%C %d %e %j`:             "20 04  4 004",
		`%D %x %F`:                "01/04/26 01/04/26 2026-01-04",
		`%f`:                      "089000",
		`%g %G %V %U %W %u %w`:    "26 2026 01 01 00 7 0",
		`%H %I %k %l %M %S`:       "15 03 15  3 06 07",
		`%m %y %Y`:                "01 26 2026",
		`%p %P %r %R %T %X`:       "PM pm 03:06:07 PM 15:06 15:06:07 15:06:07",
		`%z%Z|%%`:                 "|%",
		`%-d %-m %_d %0e %^a %#p`: "4 1  4 04 SUN pm",
		`%n%t`:                    "\n\t",
		`%`:                       "%",
		`%-`:                      "%-",
		`d: %d.`:                  "d: 04.",
		`%Q`:                      "%Q",
		`é %d`:                    "é 04",
	} {
		got, err := render(t.Context(), "{{ strftime_now('"+format+"') }}", nil, jinja.Options{Now: now})
		assert.NoError(t, err)
		assert.Equal(t, want, got, format)
	}
}
