package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
)

const (
	sampleRate = 16_000
	chunk      = 512 // samples, 32 ms
	before     = 64  // samples of the chunk before, which Silero VAD takes too
)

// listen prints when there is speech in a file of samples of 16 bits, as ffmpeg writes it with
// -f s16le -ac 1 -ar 16000. The model has the inputs and outputs of Silero VAD.
func listen(ctx context.Context, w io.Writer, modelFile, soundFile string) error {
	model, err := vinoir.Options{Format: onnx.Format{}}.Open(modelFile)
	if err != nil {
		return err
	}
	defer model.Close()
	sound, err := os.Open(soundFile)
	if err != nil {
		return err
	}
	defer sound.Close()
	// What the model remembers is an input, which gets the output of the chunk before.
	at, err := model.Compiled().InputIndex("state")
	if err != nil {
		return err
	}
	size := model.Inputs()[at].Shape.At(2).Min // 128 for Silero VAD
	state, err := ir.NewTensor(ir.F32, 2, 1, int(size))
	if err != nil {
		return err
	}
	rate, err := ir.TensorFrom(int64(sampleRate))
	if err != nil {
		return err
	}
	samples, wave, speaks := make([]int16, chunk), make([]float32, before+chunk), false
	for begin := 0; ; begin += chunk {
		if err := binary.Read(sound, binary.LittleEndian, samples); err != nil {
			break // the end, or less than a chunk
		}
		copy(wave, wave[chunk:])
		for i, s := range samples {
			wave[before+i] = float32(s) / (1 << 15)
		}
		input, err := ir.TensorFrom(wave, 1, len(wave))
		if err != nil {
			return err
		}
		outputs, err := model.Infer(ctx, vinoir.Tensors{"input": input, "state": state, "sr": rate})
		if err != nil {
			return err
		}
		state = outputs["stateN"]
		likely, err := ir.DataOf[float32](outputs["output"])
		if err != nil {
			return err
		}
		if now := likely[0] > 0.5; now != speaks {
			speaks = now
			fmt.Fprintf(w, "%.2f s: %s\n", float64(begin)/sampleRate, map[bool]string{true: "speech", false: "silence"}[now])
		}
	}
	return nil
}
