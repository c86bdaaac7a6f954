//go:build !amd64 || noasm

package fft

func codeOf(int, int) stageCode { return nil }

func vectorSplit([]float32, []float32, int, []float32, int, int) int { return 0 }

func vectorJoin([]float32, int, []float32, []float32, int, int, float32) int { return 0 }
