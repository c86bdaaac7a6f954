package main

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersion(t *testing.T) {
	info := decode[versionInfo](t, vinoir("", "version", "--json"))
	assert.Equal(t, runtime.Version(), info.Go)
	assert.Equal(t, runtime.GOOS+"/"+runtime.GOARCH, info.Platform)
	assert.NotEmpty(t, info.Kernels)
	assert.NotNil(t, info.Features)
	got := vinoir("", "version")
	assert.Equal(t, exitGood, got.code)
	assert.Regexp(t, `^vinoir .*\ngo1.*, .*/.*\nprocessor: .*\nkernels: .*\n$`, got.stdout)
	assert.Equal(t, exitUsage, vinoir("", "version", "extra").code)
}
