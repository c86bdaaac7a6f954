// Package ir reads OpenVINO IR models, version 10 and 11, and infers the type
// and shape of every layer.
package ir
