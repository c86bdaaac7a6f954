// Package edit builds models and changes them. A Builder makes a model from nothing, or a changed
// copy of one, and checks types and shapes at each step. An Editor is for passes that compile a
// model: it changes the model in place and checks nothing.
package edit
