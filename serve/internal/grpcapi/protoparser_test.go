package grpcapi

import (
	"fmt"
	"strconv"
	"strings"
	"text/scanner"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// parseProto reads a file of protocol buffers, as much of the language as inference.proto uses:
// one package without imports and options. The result is in no registry.
func parseProto(name, text string) (protoreflect.FileDescriptor, error) {
	p := protoParser{}
	p.Init(strings.NewReader(text))
	p.Filename = name
	p.Error = func(*scanner.Scanner, string) {}
	file := &descriptorpb.FileDescriptorProto{Name: &name}
	for word := p.word(); word != ""; word = p.word() {
		switch word {
		case "syntax":
			p.expect("=")
			syntax := strings.Trim(p.word(), `"`)
			file.Syntax = &syntax
			p.expect(";")
		case "package":
			pkg := p.word()
			file.Package = &pkg
			p.expect(";")
		case "service":
			file.Service = append(file.Service, p.service())
		case "message":
			file.MessageType = append(file.MessageType, p.message())
		case "enum":
			file.EnumType = append(file.EnumType, p.enum())
		default:
			p.fail("%q is not known", word)
		}
		if p.err != nil {
			return nil, p.err
		}
	}
	return protodesc.NewFile(file, nil)
}

// protoParser reads the words of a file. After an error, there are no more.
type protoParser struct {
	scanner.Scanner
	err error
}

// word returns the next word or sign; an empty string at the end and after an error.
func (p *protoParser) word() string {
	if p.err != nil || p.Scan() == scanner.EOF {
		return ""
	}
	return p.TokenText()
}

func (p *protoParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%v: %s", p.Position, fmt.Sprintf(format, args...))
	}
}

// expect reads a word that must be there.
func (p *protoParser) expect(want string) {
	if got := p.word(); got != want {
		p.fail("%q in the place of %q", got, want)
	}
}

// number reads "= N;".
func (p *protoParser) number() *int32 {
	p.expect("=")
	word := p.word()
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil {
		p.fail("%q is not a number", word)
	}
	p.expect(";")
	number := int32(n)
	return &number
}

// service reads what is behind "service".
func (p *protoParser) service() *descriptorpb.ServiceDescriptorProto {
	name := p.word()
	service := &descriptorpb.ServiceDescriptorProto{Name: &name}
	p.expect("{")
	for word := p.word(); word != "}" && p.err == nil; word = p.word() {
		if word != "rpc" {
			p.fail("%q in a service", word)
		}
		name := p.word()
		method := &descriptorpb.MethodDescriptorProto{Name: &name}
		method.InputType, method.ClientStreaming = p.rpcType()
		p.expect("returns")
		method.OutputType, method.ServerStreaming = p.rpcType()
		p.expect(";")
		service.Method = append(service.Method, method)
	}
	return service
}

// rpcType reads the message of a call in its parentheses.
func (p *protoParser) rpcType() (message *string, stream *bool) {
	p.expect("(")
	word := p.word()
	streams := word == "stream"
	if streams {
		word = p.word()
	}
	p.expect(")")
	return &word, &streams
}

// enum reads what is behind "enum".
func (p *protoParser) enum() *descriptorpb.EnumDescriptorProto {
	name := p.word()
	enum := &descriptorpb.EnumDescriptorProto{Name: &name}
	p.expect("{")
	for word := p.word(); word != "}" && p.err == nil; word = p.word() {
		enum.Value = append(enum.Value, &descriptorpb.EnumValueDescriptorProto{Name: &word, Number: p.number()})
	}
	return enum
}

// message reads what is behind "message".
func (p *protoParser) message() *descriptorpb.DescriptorProto {
	name := p.word()
	message := &descriptorpb.DescriptorProto{Name: &name}
	p.expect("{")
	for word := p.word(); word != "}" && p.err == nil; word = p.word() {
		switch word {
		case "message":
			message.NestedType = append(message.NestedType, p.message())
		case "enum":
			message.EnumType = append(message.EnumType, p.enum())
		case "map":
			p.mapField(message)
		case "oneof":
			oneof := p.word()
			index := int32(len(message.OneofDecl))
			message.OneofDecl = append(message.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: &oneof})
			p.expect("{")
			for word := p.word(); word != "}" && p.err == nil; word = p.word() {
				field := p.field(word)
				field.OneofIndex = &index
				message.Field = append(message.Field, field)
			}
		default:
			message.Field = append(message.Field, p.field(word))
		}
	}
	return message
}

// field reads a field, of which word is the first.
func (p *protoParser) field(word string) *descriptorpb.FieldDescriptorProto {
	label := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	if word == "repeated" {
		label, word = descriptorpb.FieldDescriptorProto_LABEL_REPEATED, p.word()
	}
	name := p.word()
	field := &descriptorpb.FieldDescriptorProto{Name: &name, Label: &label, Number: p.number()}
	setFieldType(field, word)
	return field
}

// setFieldType sets the type of a field: one of the language, or a message or enum of the file.
func setFieldType(field *descriptorpb.FieldDescriptorProto, word string) {
	if number, ok := descriptorpb.FieldDescriptorProto_Type_value["TYPE_"+strings.ToUpper(word)]; ok {
		t := descriptorpb.FieldDescriptorProto_Type(number)
		field.Type = &t
		return
	}
	field.TypeName = &word
}

// mapField reads what is behind "map": a repeated message with a key and a value.
func (p *protoParser) mapField(message *descriptorpb.DescriptorProto) {
	p.expect("<")
	key := p.word()
	p.expect(",")
	value := p.word()
	p.expect(">")
	name := p.word()
	entry := strings.ToUpper(name[:1]) + name[1:] + "Entry"
	number := p.number()
	isMap := true
	message.NestedType = append(message.NestedType, &descriptorpb.DescriptorProto{
		Name:    &entry,
		Field:   []*descriptorpb.FieldDescriptorProto{entryField("key", 1, key), entryField("value", 2, value)},
		Options: &descriptorpb.MessageOptions{MapEntry: &isMap},
	})
	label := descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	message.Field = append(message.Field, &descriptorpb.FieldDescriptorProto{
		Name: &name, Label: &label, Number: number, TypeName: &entry,
	})
}

// entryField returns a field of the entries of a map.
func entryField(name string, number int32, word string) *descriptorpb.FieldDescriptorProto {
	label := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	field := &descriptorpb.FieldDescriptorProto{Name: &name, Label: &label, Number: &number}
	setFieldType(field, word)
	return field
}
