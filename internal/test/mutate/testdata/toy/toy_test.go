package toy

import "testing"

func TestLimit(t *testing.T) {
	for _, x := range []int{4, 11} {
		if got, want := Limit(x, 9), min(x, 9); got != want {
			t.Errorf("Limit(%d, 9) = %d", x, got)
		}
	}
}
