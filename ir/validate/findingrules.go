package validate

// FindingRule describes a rule that a Finding can name.
type FindingRule struct {
	ID       string
	Severity Severity
	// Summary is one sentence: what is the matter. Help says what it means and what to
	// do about it.
	Summary, Help string
}

// FindingRules returns the rules that Validate reports by, those of errors first.
func FindingRules() []FindingRule {
	return []FindingRule{
		{
			RuleInference, SeverityError, "The layer's inputs or attributes are not allowed.",
			"The types, shapes or known values of the layer's inputs, or its attributes, are none that the layer type takes: OpenVINO refuses the " +
				"model too. What is wrong often comes from a layer before it: vinoir validate --explain tells where the input dims come from.",
		},
		{
			RuleUnsupported, SeverityError, "There is no shape rule for the layer's type.",
			"The layer's type, or its revision in the opset that it names, is not known: a custom layer, or a newer opset. The layer is taken as the " +
				"file declares it, and what follows from it is not certain.",
		},
		{
			RuleShape, SeverityWarning, "The dims of an output port differ from the inferred shape.",
			"The dim elements of the port are out of date: somebody changed the model and not the file's own account of its shapes. OpenVINO " +
				"does not read them, other tools do. vinoir validate --fix writes the inferred dims; a dimension that is not a single length is -1.",
		},
		{
			RuleType, SeverityWarning, "The precision of an output port differs from the inferred element type.",
			"The precision attribute of the port is out of date. OpenVINO does not read it, other tools do. vinoir validate --fix writes the inferred one.",
		},
		{
			RuleInputShape, SeverityWarning, "The dims of an input port differ from the shape that reaches it.",
			"The dim elements of the port are out of date, or an edge comes from another layer than was meant. vinoir validate --fix writes the inferred dims.",
		},
		{
			RuleInputType, SeverityWarning, "The precision of an input port differs from the element type that reaches it.",
			"The precision attribute of the port is out of date, or an edge comes from another layer than was meant. vinoir validate --fix writes the inferred one.",
		},
		{
			RuleTolerated, SeverityWarning, "The file holds something that is passed over in silence.",
			"OpenVINO reads the file as if this were not there or were written right, such as an attribute that the layer type does not have, or a default that " +
				"takes the place of a missing attribute. The writer of the file may have meant something else.",
		},
		{
			RuleVagueShape, SeverityNote, "The dims of an output port are -1 where a length is inferred.",
			"The file was written by a tool that could not infer the length. Nothing is wrong with it; vinoir validate --fix writes the inferred dims.",
		},
		{
			RuleVagueInputShape, SeverityNote, "The dims of an input port are -1 where a length reaches it.",
			"The file was written by a tool that could not infer the length. Nothing is wrong with it; vinoir validate --fix writes the inferred dims.",
		},
	}
}
