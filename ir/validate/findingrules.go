package validate

// FindingRule describes a rule of findings: a value of Finding.Rule.
type FindingRule struct {
	ID       string
	Severity Severity
	// Summary is a sentence that says what is wrong. Help says what it means and how to fix it.
	Summary, Help string
}

// FindingRules returns the rules of the findings of Model, errors first.
func FindingRules() []FindingRule {
	return []FindingRule{
		{
			RuleInference, SeverityError, "The layer's inputs or attributes are not allowed.",
			"The layer type does not accept the types, shapes or known values of the inputs, or the attributes. OpenVINO rejects the model too. " +
				"The cause is often an earlier layer: vinoir validate --explain shows where the dims of the inputs come from.",
		},
		{
			RuleUnsupported, SeverityError, "There is no shape rule for the layer's type.",
			"The layer type, or its version in the layer's opset, is unknown: it may be a custom layer or belong to a newer opset. The outputs of the " +
				"layer are taken as the file declares them, and the shapes that depend on them are uncertain.",
		},
		{
			RuleShape, SeverityWarning, "The dims of an output port differ from the inferred shape.",
			"The dim elements of the port are out of date: the model was changed, but its dim elements were not. OpenVINO does not read them, but " +
				"other tools do. vinoir validate --fix writes the inferred dims, and -1 for a dimension that is not a single length.",
		},
		{
			RuleType, SeverityWarning, "The precision of an output port differs from the inferred element type.",
			"The precision attribute of the port is out of date. OpenVINO does not read it, but other tools do. vinoir validate --fix writes the inferred precision.",
		},
		{
			RuleInputShape, SeverityWarning, "The dims of an input port differ from the shape that reaches it.",
			"The dim elements of the port are out of date, or its edge starts at the wrong layer. vinoir validate --fix writes the inferred dims.",
		},
		{
			RuleInputType, SeverityWarning, "The precision of an input port differs from the element type that reaches it.",
			"The precision attribute of the port is out of date, or its edge starts at the wrong layer. vinoir validate --fix writes the inferred precision.",
		},
		{
			RuleTolerated, SeverityWarning, "OpenVINO ignores or corrects something in the file without an error.",
			"Examples are an attribute that the layer type does not have, which is ignored, and a missing attribute, for which a default is used. The " +
				"writer of the file may have meant something else.",
		},
		{
			RuleUnusedBin, SeverityWarning, "The .bin is longer than the constants in it.",
			"No Constant is in the last part of the .bin: it may belong to another model, whose numbers would be taken for the weights of this one. " +
				"OpenVINO does not check it. Compare the names and dates of the files.",
		},
		{
			RuleContradiction, SeverityWarning, "Dims in the file contradict one another.",
			"The .bin was not read. Dims that depend on it are taken from the file, but dims behind them, or what a layer accepts, do not agree with them. " +
				"One of the two is out of date. With the .bin, vinoir validate shows which.",
		},
		{
			RuleVagueShape, SeverityNote, "The dims of an output port are -1, but a length is inferred.",
			"The tool that wrote the file could not infer the length. That is harmless; vinoir validate --fix writes the inferred dims.",
		},
		{
			RuleVagueInputShape, SeverityNote, "The dims of an input port are -1, but a length is inferred.",
			"The tool that wrote the file could not infer the length. That is harmless; vinoir validate --fix writes the inferred dims.",
		},
	}
}
