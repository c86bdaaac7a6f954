package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
)

var (
	//go:embed openvino.py
	openvino string
	//go:embed pieces.py
	sentencepiece string
)

// peer is a process that encodes texts, as openvino.py does, or decodes tokens as well, as
// pieces.py does.
type peer struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	buffer  []byte
}

// start starts a process of a Python with a program for a tokenizer.
func start(ctx context.Context, name, python, program, path string) (*peer, error) {
	p := &peer{name: name, command: exec.CommandContext(ctx, python, "-c", program, path)}
	p.command.Stderr = os.Stderr
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	return p, p.command.Start()
}

// close ends the process.
func (p *peer) close() error {
	_ = p.in.Close()
	return p.command.Wait()
}

// send asks for the tokens of texts.
func (p *peer) send(texts []string) error {
	b := binary.LittleEndian.AppendUint32(p.buffer[:0], uint32(len(texts)))
	for _, text := range texts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		b = append(b, text...)
	}
	p.buffer = b
	_, err := p.in.Write(b)
	return err
}

// sendRows asks for the texts of rows of tokens.
func (p *peer) sendRows(rows [][]int32) error {
	b := binary.LittleEndian.AppendUint32(p.buffer[:0], uint32(-len(rows)))
	for _, row := range rows {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(row)))
		for _, id := range row {
			b = binary.LittleEndian.AppendUint32(b, uint32(id))
		}
	}
	p.buffer = b
	_, err := p.in.Write(b)
	return err
}

// receive returns the tokens of n texts.
func (p *peer) receive(n int) ([][]int32, error) { return receive[int32](p, n) }

// receiveTexts returns the texts of n rows.
func (p *peer) receiveTexts(n int) ([]string, error) {
	rows, err := receive[byte](p, n)
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = string(row)
	}
	return texts, err
}

// receive returns n rows of elements.
func receive[T any](p *peer, n int) ([][]T, error) {
	counts := make([]int32, 1, n)
	if err := binary.Read(p.out, binary.LittleEndian, counts); err != nil {
		return nil, fmt.Errorf("%s died: %w", p.name, err)
	}
	if counts[0] < 0 {
		var length int32
		if err := binary.Read(p.out, binary.LittleEndian, &length); err != nil {
			return nil, err
		}
		message, err := io.ReadAll(io.LimitReader(p.out, int64(length)))
		if err == nil {
			err = fmt.Errorf("%s refuses the texts: %s", p.name, message)
		}
		return nil, err
	}
	counts = counts[:n]
	if err := binary.Read(p.out, binary.LittleEndian, counts[1:]); err != nil {
		return nil, err
	}
	rows := make([][]T, n)
	for i, count := range counts {
		rows[i] = make([]T, count)
		if err := binary.Read(p.out, binary.LittleEndian, rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
