package jinja_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/jinja"
)

// TestLimits checks that templates that would take any time or memory end with an error that says
// what they took too much of.
func TestLimits(t *testing.T) {
	const steps, bytes, deep, bits = "more than 500000 steps", "values of more than 67108864 bytes", "inside one another", "integer of more than 65536 bits"
	for source, want := range map[string]string{
		"{{ 'x' * 10**9 }}":                   bytes,
		"{{ [1] * 10**9 }}":                   bytes,
		"{{ ((1,) * 10**8) * 10**8 }}":        bytes,
		"{{ '%1000000000d' % 1 }}":            bytes,
		"{{ '%.1000000000f' % 1 }}":           bytes,
		"{{ '%*d' % (10**9, 1) }}":            bytes,
		"{{ '{:1000000000}'.format(1) }}":     bytes,
		"{{ '{:.1000000000f}'.format(1.0) }}": bytes,
		"{{ 'a'.center(10**9) }}":             bytes,
		"{{ 'a'.zfill(10**9) }}":              bytes,
		"{{ 'a\tb'.expandtabs(10**9) }}":      bytes,
		"{{ 'a'|indent(10**9) }}":             bytes,
		"{% for i in range(99) %}{{ []|tojson(indent=9999999) }}{% endfor %}":                                           bytes,
		"{{ [1]|tojson(indent=10**9) }}":                                                                                bytes,
		"{{ [1]|batch(10**9, 0)|list }}":                                                                                bytes,
		"{{ [1]|slice(10**9)|list }}":                                                                                   "more than",
		"{{ ('x' * 9999).replace('x', 'y' * 9999) }}":                                                                   bytes,
		"{{ ('x' * 9999)|replace('', 'y' * 9999) }}":                                                                    bytes,
		"{{ ('y' * 9999).join('x' * 9999) }}":                                                                           bytes,
		"{{ range(9999)|join('y' * 9999) }}":                                                                            bytes,
		"{{ ('x' * 9999).translate({120: 'y' * 9999}) }}":                                                               bytes,
		"{% set ns = namespace(x='xxxx') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}":            bytes,
		"{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}":               bytes,
		"{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}":    "more than",
		"{% set ns = namespace(x=[1]) %}{% for i in range(2000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}":        deep,
		"{% set ns = namespace(x=[1]) %}{% for i in range(2000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x|tojson }}": deep,
		"{% set ns = namespace(x=(1,), y=(1,)) %}{% for i in range(2000) %}{% set ns.x = (ns.x,) %}{% set ns.y = (ns.y,) %}{% endfor %}{{ ns.x == ns.y }}": deep,
		"{% set ns = namespace(x=(1,), y=(1,)) %}{% for i in range(2000) %}{% set ns.x = (ns.x,) %}{% set ns.y = (ns.y,) %}{% endfor %}{{ ns.x < ns.y }}":  deep,
		"{% set ns = namespace(x=(1,)) %}{% for i in range(2000) %}{% set ns.x = (ns.x,) %}{% endfor %}{{ {ns.x: 1} }}":                                    deep,
		"{% for i in range(99999) %}{% for i in range(99999) %}{% endfor %}{% endfor %}":                                                                   steps,
		"{% set x = 'a' * 9999999 %}{% for i in range(99999) %}{% if x.find('b') > 0 %}{% endif %}{% endfor %}":                                            steps,
		"{% set x = 'é' * 9999999 %}{% for i in range(99999) %}{{ x[-1] }}{% endfor %}":                                                                    steps,
		"{% set x = range(99999)|list %}{% for i in x %}{% if -1 in x %}{% endif %}{% endfor %}":                                                           steps,
		"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}":                                                                                                  deep,
		"{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}":                                                                                          deep,
		"{% block b %}{{ self.b() }}{% endblock %}":                                                                                                        deep,
		"{{ 10 ** 1000000000 }}": bits,
		"{{ 2 ** 65536 * 2 }}":   bits,
		"{{ 2 ** 60000 }}":       "exceeds the limit (4300 digits)",
		"{% set ns = namespace(g=[1]) %}{% for i in range(999) %}{% set ns.g = ns.g|map('string') %}{% endfor %}{{ ns.g|list }}": deep,
		"{{ 0 ** 10 ** 99 }}":   "",
		"{{ -1 ** 10 ** 99 }}":  "",
		"{{ range(10 ** 30) }}": "range too big",
		strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000):                 "",
		"{{ " + strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000) + " }}": deep,
		"{{ " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + " }}":       deep,
		"{{ " + strings.Repeat("not ", 1000) + "1 }}":                               deep,
		"{{ " + strings.Repeat("-", 1000) + "1 }}":                                  deep,
		"{{ 1" + strings.Repeat(" + 1", 1000) + " }}":                               deep,
		"{{ x" + strings.Repeat(".x", 1000) + " }}":                                 deep,
		"{{ x" + strings.Repeat("|list", 1000) + " }}":                              deep,
		"{{ 1" + strings.Repeat(" if 1 else 1", 1000) + " }}":                       deep,
		"{{ 1" + strings.Repeat(" if 1", 1000) + " }}":                              deep,
		strings.Repeat("{% if 1 %}", 1000) + strings.Repeat("{% endif %}", 1000):    deep,
		"{{ " + strings.Repeat("9", 5000) + " }}":                                   "too large",
		strings.Repeat("x", 4<<20+1):                                                "template of 4194305 bytes",
	} {
		_, err := render(t.Context(), source, nil, jinja.Options{Limits: jinja.Limits{Steps: 500_000}})
		name := source[:min(len(source), 80)]
		if want == "" {
			assert.NoError(t, err, name)
			continue
		}
		if assert.Error(t, err, name) {
			assert.Contains(t, err.Error(), want, name)
		}
		runtime.Gosched()
	}
}

func TestOwnLimits(t *testing.T) {
	for _, c := range []struct {
		source string
		limits jinja.Limits
		want   string
	}{
		{"{% for i in range(99) %}x{% endfor %}", jinja.Limits{Output: 50}, "output of more than 50 bytes"},
		{"{% for i in range(99) %}x{% endfor %}", jinja.Limits{Steps: 50}, "more than 50 steps"},
		{"{% set x = 'a' * 99 %}", jinja.Limits{Memory: 50}, "values of more than 50 bytes"},
		{"{% macro m(n) %}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(5) }}", jinja.Limits{Depth: 5}, "more than 5 macros"},
		{"{% macro m(n) %}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(4) }}", jinja.Limits{Depth: 5}, ""},
	} {
		_, err := render(t.Context(), c.source, nil, jinja.Options{Limits: c.limits})
		if c.want == "" {
			assert.NoError(t, err, c.source)
		} else if assert.Error(t, err, c.source) {
			assert.Contains(t, err.Error(), c.want)
		}
	}
}

// stopping is a context that is done once it was asked n times.
type stopping struct {
	context.Context
	n *int
}

func (s stopping) Err() error {
	if *s.n--; *s.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestStop checks that a long rendering asks the context.
func TestStop(t *testing.T) {
	n := 100
	_, err := render(stopping{t.Context(), &n}, "{% for i in range(99999) %}{% for i in range(99999) %}{% endfor %}{% endfor %}", nil, jinja.Options{})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestErrorLines checks that errors name the line at which they are.
func TestErrorLines(t *testing.T) {
	for source, want := range map[string]string{
		"a\n{{ x.y }}":                                            "'x' is undefined, in line 2 of the template",
		"a\n\n{% if %}{% endif %}":                                `expected an expression, got end of statement block, in line 3 of the template`,
		"{% for x in 1 %}\n{% endfor %}":                          "'int' object is not iterable, in line 1 of the template",
		"{#\n\n#}{{ {}.a.b }}":                                    "'dict object' has no attribute 'a', in line 3 of the template",
		"{{ none.a }}{{ none.a.b }}":                              "'None' has no attribute 'a', in line 1 of the template",
		"\n\n{{ [].append(1) }}":                                  "access to attribute 'append' of 'list' object is unsafe, in line 3 of the template",
		"{% macro m() %}\n{{ 1 / 0 }}\n{% endmacro %}\n{{ m() }}": "division by zero, in line 2 of the template",
		"{{ raise_exception('why') }}":                            "why, in line 1 of the template",
		"{{ [][0].x }}":                                           "list object has no element 0, in line 1 of the template",
		"{% for x in y %}":                                        "unexpected end of template: looking for endfor or else, in line 1 of the template",
		"\n{% nosuch %}":                                          "unknown tag nosuch, in line 2 of the template",
		"{% if 1 %}{% endfor %}":                                  "unknown tag endfor, looking for elif or else or endif, in line 1 of the template",
		"{{ 'a'|nosuch }}":                                        `no filter named "nosuch", in line 1 of the template`,
		"{{ ('" + strings.Repeat("x", 300) + "').y.z }}":          "'str object' has no attribute 'y', in line 1 of the template",
		"{{ {}['" + strings.Repeat("x", 300) + "'].z }}":          "'dict object' has no attribute '" + strings.Repeat("x", 99) + "..., in line 1 of the template",
	} {
		_, err := render(t.Context(), source, nil, jinja.Options{})
		assert.EqualError(t, err, want, source)
	}
	_, err := render(t.Context(), "{{ raise_exception(1) }}", nil, jinja.Options{})
	var raised *jinja.Error
	require.ErrorAs(t, err, &raised)
	assert.True(t, raised.Raised)
}
