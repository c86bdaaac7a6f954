// Package repository finds the models of a server on the disk: where they are, which versions they
// have, and how they are to be served.
//
// There are three layouts, which Find tells apart:
//
//	repository/NAME/1/model.xml   a folder of models, each with version folders
//	model/1/model.xml             the folder of one model, with version folders
//	model/model.xml               the folder of one model without, or the file: version 1
//
// A version is one .xml file, with its .bin beside it, or one .onnx file, of any name. The folder
// of a model can have a config.pbtxt as Triton reads it; that of a version, a mapping_config.json
// as OVMS reads it. A config.json of OVMS names models anywhere on the disk: see ReadList.
//
// The package only looks: it opens no model.
package repository
