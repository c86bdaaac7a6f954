package unary_test

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ops/builtin"
)

func TestCases(t *testing.T) {
	optest.Run(t, builtin.Ops(), "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceiling", "Clamp",
		"Cos", "Cosh", "Elu", "Erf", "ErfInv", "Exp", "Floor", "Gelu", "HSigmoid", "HSwish", "IsFinite", "IsInf", "IsNaN", "Log", "LogicalNot",
		"Mish", "Negative", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh", "SoftPlus", "SoftSign", "Sqrt", "Tan", "Tanh")
}
