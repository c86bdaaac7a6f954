package groupnorm_test

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ops/builtin"
)

func TestCases(t *testing.T) { optest.Run(t, builtin.Ops(), "GroupNormalization") }
