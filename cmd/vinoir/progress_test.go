package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestProgress(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, 12)
	p.add()
	p.clear()
	assert.Empty(t, out.String(), "not a terminal")

	p.terminal = &out
	p.clear()
	assert.Empty(t, out.String(), "there is no line")
	p.add()
	p.add() // too soon after the one before
	assert.Equal(t, "\r2/12", out.String())
	p.clear()
	p.clear()
	assert.Equal(t, "\r2/12\r    \r", out.String())
	out.Reset()
	p.shown = time.Time{}
	p.add()
	assert.Equal(t, "\r4/12", out.String())
}
