// Package irxml reads OpenVINO IR files, versions 10 and 11: the graph in model.xml and the
// constants in model.bin. It accepts and refuses what OpenVINO's own reader does; the bounds
// of Limits come on top.
//
// FixPorts writes inferred dims and precisions into an XML document in place.
package irxml
