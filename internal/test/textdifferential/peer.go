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

//go:embed openvino.py
var program string

// peer is a process that encodes texts, as openvino.py does.
type peer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	buffer  []byte
}

// start starts a process of a Python for the tokenizer in a file.
func start(ctx context.Context, python, path string) (*peer, error) {
	p := &peer{command: exec.CommandContext(ctx, python, "-c", program, path)}
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

// receive returns the tokens of n texts.
func (p *peer) receive(n int) ([][]int32, error) {
	counts := make([]int32, 1, n)
	if err := binary.Read(p.out, binary.LittleEndian, counts); err != nil {
		return nil, fmt.Errorf("OpenVINO died: %w", err)
	}
	if counts[0] < 0 {
		var length int32
		if err := binary.Read(p.out, binary.LittleEndian, &length); err != nil {
			return nil, err
		}
		message, err := io.ReadAll(io.LimitReader(p.out, int64(length)))
		if err == nil {
			err = fmt.Errorf("OpenVINO refuses the texts: %s", message)
		}
		return nil, err
	}
	counts = counts[:n]
	if err := binary.Read(p.out, binary.LittleEndian, counts[1:]); err != nil {
		return nil, err
	}
	rows := make([][]int32, n)
	for i, count := range counts {
		rows[i] = make([]int32, count)
		if err := binary.Read(p.out, binary.LittleEndian, rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
