package eltwise_test

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ops/builtin"
)

func TestCases(t *testing.T) {
	optest.Run(t, builtin.Ops(), "Add", "BitwiseAnd", "BitwiseLeftShift", "BitwiseOr", "BitwiseRightShift", "BitwiseXor",
		"Divide", "Equal", "FloorMod", "Greater", "GreaterEqual", "Less", "LessEqual", "LogicalAnd", "LogicalOr",
		"LogicalXor", "Maximum", "Minimum", "Mod", "Multiply", "NotEqual", "PRelu", "Power", "SquaredDifference", "Subtract", "Xor")
}
