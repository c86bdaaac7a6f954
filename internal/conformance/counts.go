package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// Counts is the number of cases of each outcome.
type Counts map[Outcome]int

// Count counts results by the first element of the case's name: the folder, or the file of
// reshaped models.
func Count(results []Result) map[string]Counts {
	folders := make(map[string]Counts)
	for _, r := range results {
		folder, _, _ := strings.Cut(r.Case, "/")
		if folders[folder] == nil {
			folders[folder] = make(Counts)
		}
		folders[folder][r.Outcome]++
	}
	return folders
}

// String returns the counts as text: "12 passed, 1 failed".
func (c Counts) String() string {
	var parts []string
	for _, outcome := range []Outcome{Passed, Failed, Crashed, Excepted, Unsupported} {
		if c[outcome] > 0 || outcome == Passed {
			parts = append(parts, fmt.Sprintf("%d %s", c[outcome], outcome))
		}
	}
	return strings.Join(parts, ", ")
}

// CheckCounts compares the number of passed cases of each folder with the record in a JSON
// file. It returns an error if a number is smaller. If update is set, it writes the numbers of
// these folders to the file instead.
func CheckCounts(path string, folders map[string]Counts, update bool) error {
	record := make(map[string]int)
	data, err := os.ReadFile(path)
	if err != nil && !(update && os.IsNotExist(err)) {
		return err
	}
	if err == nil {
		if err := json.Unmarshal(data, &record); err != nil {
			return faults.Errorf("%s: %w", path, err)
		}
	}
	var fell []string
	for folder, counts := range folders {
		if before, passed := record[folder], counts[Passed]; passed < before {
			fell = append(fell, fmt.Sprintf("%s: %d pass, %d passed before", folder, passed, before))
		}
		record[folder] = counts[Passed]
	}
	if update {
		data, err := json.MarshalIndent(record, "", "\t")
		if err != nil {
			return err
		}
		return os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if len(fell) > 0 {
		slices.Sort(fell)
		return faults.Errorf("%s", strings.Join(fell, "\n"))
	}
	return nil
}
