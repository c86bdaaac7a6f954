// Package wire reads the encoding of protocol buffers, without any knowledge of the messages:
// https://protobuf.dev/programming-guides/encoding. It reads from one slice, and what it returns
// shares that slice where it can, so that the weights of a model are not copied.
//
// It accepts what the specification does: fields in any order, unknown fields of every wire type,
// groups among them, repeated numbers packed or not, and varints with superfluous bytes. A field
// whose wire type is not the one of its message counts as unknown. Limits bound the number and the
// depth of messages.
package wire
