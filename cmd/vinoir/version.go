package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
)

// versionInfo is what version prints.
type versionInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`   // "" if the program was not built in a repository
	Modified bool   `json:"modified"` // files differed from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Features are the instruction sets of the processor that kernels use.
	Features []string `json:"features"`
	// Kernels is the kernel of matrix products: its instruction set and the size of a tile.
	Kernels string `json:"kernels"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what it uses of this processor",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	info := version()
	if a.json {
		return a.printJSON(info)
	}
	a.printf("vinoir %s", info.Version)
	if info.Commit != "" {
		a.printf(", commit %s", info.Commit)
	}
	if info.Modified {
		a.printf(" with changes")
	}
	a.printf("\n%s, %s\nprocessor: %s\nkernels: %s\n", info.Go, info.Platform, strings.Join(info.Features, " "), info.Kernels)
	return nil
}

// version returns what the program knows of itself and of the processor.
func version() *versionInfo {
	info := &versionInfo{
		Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Features: []string{}, Kernels: gemm.New().String(),
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		info.Version = build.Main.Version
		for _, s := range build.Settings {
			switch s.Key {
			case "vcs.revision":
				info.Commit = s.Value
			case "vcs.modified":
				info.Modified = s.Value == "true"
			}
		}
	}
	for _, f := range cpu.Features() {
		if f.Available() {
			info.Features = append(info.Features, f.String())
		}
	}
	return info
}
