//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// staleModel writes a model that --fix changes. It returns its path and content.
func staleModel(t *testing.T, dir, name string) (path, xml string) {
	path = copyModel(t, dir, name)
	xml = strings.Replace(readText(t, path), "<dim>6</dim>", "<dim>7</dim>", 1)
	require.NoError(t, os.WriteFile(path, []byte(xml), 0o600))
	return path, xml
}

// TestFix_links has links that lead out of the tree that --fix is given.
func TestFix_links(t *testing.T) {
	dir := t.TempDir()
	outside, wrong := staleModel(t, dir, "outside/m.xml")
	inside, _ := staleModel(t, dir, "tree/sub/m.xml")
	hard := filepath.Join(dir, "hard.xml")
	require.NoError(t, os.Link(inside, hard))
	require.NoError(t, os.Symlink("../outside/m.xml", filepath.Join(dir, "tree", "link.xml")))
	require.NoError(t, os.Symlink("../outside/m.bin", filepath.Join(dir, "tree", "link.bin")))
	require.NoError(t, os.Symlink("../outside", filepath.Join(dir, "tree", "folder")))
	got := vinoir("", "validate", "--fix", filepath.Join(dir, "tree"))
	assert.Equal(t, exitFault, got.code, got)
	assert.Contains(t, got.stdout, "link.xml: a symbolic link: only regular files are written [fix]")
	assert.Equal(t, wrong, readText(t, outside))
	assert.NotEqual(t, wrong, readText(t, inside), "a file in the tree is fixed")
	assert.Equal(t, wrong, readText(t, hard), "another hard link keeps the old content")

	_, err := openTarget(filepath.Join(dir, "tree"), "folder/m.xml", maxXMLBytes)
	assert.ErrorContains(t, err, "escapes")
	_, err = openTarget(filepath.Join(dir, "tree"), "../outside/m.xml", maxXMLBytes)
	assert.ErrorContains(t, err, "escapes")
}

// TestFix_swapped replaces the file or its folder by a link at each step.
func TestFix_swapped(t *testing.T) {
	for _, step := range []string{"create", "write", "sync", "check"} {
		for _, what := range []string{"file", "folder"} {
			dir := t.TempDir()
			outside, wrong := staleModel(t, dir, "outside/m.xml")
			path, _ := staleModel(t, dir, "tree/sub/m.xml")
			file, err := openTarget(filepath.Join(dir, "tree"), "sub/m.xml", maxXMLBytes)
			require.NoError(t, err)
			file.step = func(name string) {
				if name != step {
					return
				}
				if what == "file" {
					require.NoError(t, os.Remove(path))
					require.NoError(t, os.Symlink(outside, path))
				} else {
					require.NoError(t, os.Rename(filepath.Dir(path), filepath.Join(dir, "moved")))
					require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Dir(path)))
				}
			}
			err = file.replace([]byte("new"))
			file.dir.Close()
			if what == "file" {
				assert.ErrorContains(t, err, "a symbolic link", step)
			}
			assert.Equal(t, wrong, readText(t, outside), "%s at %s", what, step)
			for _, folder := range []string{"outside", "tree/sub", "moved"} {
				left, _ := filepath.Glob(filepath.Join(dir, folder, ".vinoir-*"))
				assert.Empty(t, left, "%s at %s", what, step)
			}
		}
	}
}

// TestFix_otherKinds gives a pipe and a device to validate.
func TestFix_otherKinds(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "p.xml")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, "/dev/zero"} {
		for _, args := range [][]string{{"validate"}, {"validate", "--fix"}, {"info"}, {"run"}, {"run", "-", "--bin"}, {"run", messages, "--shape", "nodes=[5,2]", "--in-dir", filepath.Dir(path), "--in"}} {
			if args[len(args)-1] == "--in" {
				path = "nodes=" + path
			}
			got := vinoir("<net/>", append(args, path)...)
			assert.Equal(t, exitFault, got.code, "%v %v", args, got)
			assert.Contains(t, got.stdout+got.stderr, "not a regular file", "%v", args)
		}
	}
}

// TestReplace_killed kills a process at each step of a replacement. The file is the old or the new
// one.
func TestReplace_killed(t *testing.T) {
	if step := os.Getenv("VINOIR_TEST_KILL"); step != "" {
		file, err := openTarget(os.Getenv("VINOIR_TEST_DIR"), "m.xml", maxXMLBytes)
		require.NoError(t, err)
		file.step = func(name string) {
			if name == step {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		_ = file.replace(bytes.Repeat([]byte("new"), 100_000))
		return
	}
	if err := exec.Command(os.Args[0], "-test.run", "^$").Run(); err != nil {
		t.Skip("under an emulator, a program cannot start itself: ", err)
	}
	old, changed := strings.Repeat("old", 100_000), strings.Repeat("new", 100_000)
	for _, step := range []string{"create", "write", "sync", "check", "rename", "sync folder", "none"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "m.xml")
		require.NoError(t, os.WriteFile(path, []byte(old), 0o640))
		child := exec.Command(os.Args[0], "-test.run=^TestReplace_killed$")
		child.Env = append(os.Environ(), "VINOIR_TEST_KILL="+step, "VINOIR_TEST_DIR="+dir)
		err := child.Run()
		assert.Equal(t, step == "none", err == nil, "%s: %v", step, err)
		want := old
		if step == "sync folder" || step == "none" {
			want = changed
		}
		assert.Equal(t, want, readText(t, path), step)
	}
}

// TestReplace_full replaces a file on a full disk, which is mounted for a process of its own, and
// one in a folder that cannot be written.
func TestReplace_full(t *testing.T) {
	dir := os.Getenv("VINOIR_TEST_FULL")
	if dir == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestReplace_full$", "-test.v")
		child.Env = append(os.Environ(), "VINOIR_TEST_FULL="+t.TempDir())
		child.SysProcAttr = namespace()
		out, err := child.CombinedOutput()
		if child.SysProcAttr == nil || strings.Contains(string(out), "cannot mount") || child.ProcessState == nil {
			t.Skipf("NOT TESTED: no disk can be mounted: %v %.300s", err, out)
		}
		require.NoError(t, err, string(out))
		return
	}
	if err := mountSmall(dir); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	path := filepath.Join(dir, "m.xml")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	file, err := openTarget(dir, "m.xml", maxXMLBytes)
	require.NoError(t, err)
	defer file.dir.Close()
	assert.ErrorIs(t, file.replace(bytes.Repeat([]byte("new"), 100_000)), syscall.ENOSPC)
	require.NoError(t, remountReadOnly(dir))
	assert.ErrorIs(t, file.replace([]byte("new")), syscall.EROFS)
	assert.Equal(t, "old", readText(t, path))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file is left")
}
