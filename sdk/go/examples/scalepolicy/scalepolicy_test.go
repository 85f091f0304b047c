package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"takeover.dev/oracle"
)

// row is a line of the test data that the examples in every language share. An answer whose failure is `*` is any failure.
type row struct {
	Name     string                    `json:"name"`
	Question map[string]any            `json:"question"`
	Answer   map[string]any            `json:"answer"`
	Mistakes map[string]map[string]any `json:"mistakes"`
}

func rows(t *testing.T) []row {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/scalepolicy.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []row
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// answers asks everything in one batch, and returns the answers in the order of the questions.
func answers(t *testing.T, check check, rows []row) []map[string]any {
	t.Helper()
	questions := make([]map[string]any, len(rows))
	for i, r := range rows {
		r.Question["id"] = i + 1
		questions[i] = r.Question
	}
	batch, err := json.Marshal(map[string]any{"questions": questions})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := strings.NewReader(`{"hello":{"protocol":1,"program":"test"}}` + "\n" + string(batch) + "\n")
	o := oracle.Oracle{Name: "test", Judge: oracle.Validator(&Validator{check})}
	if err := oracle.ServeIO(context.Background(), o, in, &out); err != nil {
		t.Fatal(err)
	}
	all := make([]map[string]any, len(rows))
	lines := bufio.NewScanner(&out)
	lines.Scan() // the hello
	for lines.Scan() {
		var answer map[string]any
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		id := int(answer["id"].(float64))
		delete(answer, "id")
		if _, failed := answer["failure"]; failed {
			answer["failure"] = "*"
		}
		all[id-1] = answer
	}
	return all
}

func TestAnswersAreThoseOfTheSharedData(t *testing.T) {
	rows := rows(t)
	for number := 0; number <= len(mistakes); number++ {
		check, err := withMistake(number, validate)
		if err != nil {
			t.Fatal(err)
		}
		shown := number == 0
		for i, got := range answers(t, check, rows) {
			want := rows[i].Answer
			if mistaken, ok := rows[i].Mistakes[strconv.Itoa(number)]; ok {
				want, shown = mistaken, true
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("mistake %d, %s:\ngot  %s\nwant %s", number, rows[i].Name, text(got), text(want))
			}
		}
		if !shown {
			t.Errorf("no question shows mistake %d", number)
		}
	}
}

func TestUnknownMistakesAreRefused(t *testing.T) {
	for _, number := range []int{-1, len(mistakes) + 1} {
		if _, err := withMistake(number, validate); err == nil {
			t.Errorf("mistake %d was planted", number)
		}
	}
}

func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(encoded)
}
