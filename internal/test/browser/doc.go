// Package browser drives Chromium without a window, for tests of pages. It does not exist for js, which has no
// processes.
package browser
