package onnx

import "github.com/vinoir/vinoir/ir/validate"

// FindingRules returns the rules of the findings of CheckFile that package validate does not have,
// errors first.
func FindingRules() []validate.FindingRule {
	return []validate.FindingRule{
		{
			ID: RuleOperator, Severity: validate.SeverityError, Summary: "An operator of an ONNX model cannot be converted.",
			Help: "There is no such operator, it is newer than the version that the model imports, or vinoir has no rule for it. One finding stands for all nodes. " +
				"Operators of the domains of a framework can often be replaced when the model is exported.",
		},
		{
			ID: RuleConversion, Severity: validate.SeverityError, Summary: "An ONNX model cannot be converted.",
			Help: "A node, an input or an output is not as its operator or the format demands. Nodes after the first error are only judged by their operators.",
		},
		{
			ID: RuleGraph, Severity: validate.SeverityWarning, Summary: "ONNX's checker refuses the graph.",
			Help: "A value is not defined, is defined twice, or by a node that stands after one that reads it. vinoir sorts nodes, and does not look at those that no output needs; " +
				"other readers do.",
		},
		{
			ID: RuleField, Severity: validate.SeverityWarning, Summary: "ONNX's checker refuses a field.",
			Help: "A field that the format demands is missing, such as the name of the graph or the shape of an output, or a tensor has not the elements that its dims demand.",
		},
		{
			ID: RuleVersion, Severity: validate.SeverityWarning, Summary: "ONNX's checker refuses a version.",
			Help: "The version of the format is missing or newer than what is known, or a domain of operators is used that the model does not import.",
		},
		{
			ID: RuleNode, Severity: validate.SeverityWarning, Summary: "ONNX's checker refuses the form of a node.",
			Help: "In the version that the model imports, the operator does not exist, or has other inputs, outputs or attributes. Often, the model was stamped with another version " +
				"than it was made for.",
		},
		{
			ID: RuleOwnLayer, Severity: validate.SeverityNote, Summary: "A layer type is one of vinoir, which OpenVINO does not have.",
			Help: "No layer of OpenVINO computes the operator. vinoir runs the model, and reads it as an IR; OpenVINO does not.",
		},
		{
			ID: RuleSeveral, Severity: validate.SeverityNote, Summary: "An operator becomes several layers.",
			Help: "No single layer of OpenVINO does what the operator does. One finding stands for all nodes of an operator, and lists the layers of the first.",
		},
		{
			ID: RuleNames, Severity: validate.SeverityNote, Summary: "Layers have other names than nodes.",
			Help: "A layer is named by the first value that it computes, as OpenVINO's converter does. --explain and --extract take these names.",
		},
		{
			ID: RuleUnneeded, Severity: validate.SeverityNote, Summary: "Something in an ONNX file is not in the model.",
			Help: "Nodes that no output needs are left out, and inputs that have a default are constants, as with OpenVINO.",
		},
	}
}
