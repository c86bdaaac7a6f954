package main

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRun_wrongUse(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there are no processes")
	}
	assert.ErrorContains(t, run(context.Background(), []string{"m.xml"}), "a model and labels are needed")
	assert.ErrorIs(t, run(context.Background(), []string{"-o", t.TempDir(), "missing.xml", "../classify/labels.txt"}), os.ErrNotExist)
}
