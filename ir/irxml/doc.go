// Package irxml reads OpenVINO IR files of versions 10 and 11: the graph in model.xml and the
// constants in model.bin. It accepts and rejects the same files as OpenVINO's reader, with few
// exceptions; in addition, Limits bounds the resources.
//
// FixPorts corrects the dims and precisions in an XML document in place.
package irxml
