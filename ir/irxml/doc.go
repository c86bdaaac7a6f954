// Package irxml reads and writes OpenVINO IR files of versions 10 and 11: the graph in model.xml
// and the constants in model.bin. It accepts and rejects the same files as OpenVINO's reader, with
// few exceptions; in addition, Limits bounds the resources.
//
// Write writes a model in the form of OpenVINO's serializer: what OpenVINO has written stays the
// same, except for the order of edges that come from one layer.
//
// FixPorts corrects the dims and precisions in an XML document in place.
package irxml
