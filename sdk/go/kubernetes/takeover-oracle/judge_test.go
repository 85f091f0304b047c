package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/cmd/takeover-oracle/internal/oracle"
)

func newTestJudge(t *testing.T, side string) *judge {
	t.Helper()
	j, err := newJudge(side, "")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// errorsOf asks one question and returns one line for each error: type, field, origin, marks.
func errorsOf(t *testing.T, j *judge, req oracle.Request) []string {
	t.Helper()
	answer, err := j.judge(context.Background(), &req)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, e := range answer.Errors {
		line := fmt.Sprintf("%s %s %s", e.Type, e.Field, e.Origin)
		if e.CoveredByDeclarative {
			line += " covered"
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

const autoscaler = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a","namespace":"b"},
	"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"},"minReplicas":%d,"maxReplicas":%d,
	"metrics":[{"type":"External","external":{"metric":{"name":"m"},"target":{"type":"Value","value":"1"}}}]}}`

const runtimeClass = `{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"a","resourceVersion":"1"},"handler":"%s"}`

const scaled = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","namespace":"b"},"spec":{"replicas":%d}}`

func TestSidesAnswer(t *testing.T) {
	type errs []string
	for _, test := range []struct {
		name                     string
		version, kind, sub       string
		object, old              string
		options                  map[string]bool
		handwritten, declarative errs
	}{
		{
			name: "valid", version: "autoscaling/v2", kind: "HorizontalPodAutoscaler",
			object: fmt.Sprintf(autoscaler, 1, 2), handwritten: errs{}, declarative: errs{},
		},
		{
			name: "both refuse", version: "autoscaling/v2", kind: "HorizontalPodAutoscaler",
			object:      fmt.Sprintf(autoscaler, 1, -1),
			handwritten: errs{"FieldValueInvalid spec.maxReplicas", "FieldValueInvalid spec.maxReplicas minimum covered"},
			declarative: errs{"FieldValueInvalid spec.maxReplicas minimum"},
		},
		{
			name: "an option is off", version: "autoscaling/v2", kind: "HorizontalPodAutoscaler",
			object:      fmt.Sprintf(autoscaler, 0, 2),
			options:     map[string]bool{"HPAScaleToZero": false, "NoGateHasThisName": false},
			handwritten: errs{"FieldValueInvalid spec.minReplicas minimum covered"},
			declarative: errs{"FieldValueInvalid spec.minReplicas minimum"},
		},
		{
			name: "an option is on", version: "autoscaling/v2", kind: "HorizontalPodAutoscaler",
			object: fmt.Sprintf(autoscaler, 0, 2), options: map[string]bool{"HPAScaleToZero": true},
			handwritten: errs{}, declarative: errs{},
		},
		{
			name: "an update", version: "node.k8s.io/v1", kind: "RuntimeClass",
			object: fmt.Sprintf(runtimeClass, "a"), old: fmt.Sprintf(runtimeClass, "b"),
			handwritten: errs{"FieldValueInvalid handler immutable covered"},
			declarative: errs{"FieldValueInvalid handler immutable"},
		},
		{
			name: "a subresource without a strategy", version: "autoscaling/v1", kind: "Scale", sub: "scale",
			object: fmt.Sprintf(scaled, -1), old: fmt.Sprintf(scaled, 1),
			handwritten: errs{"FieldValueInvalid spec.replicas minimum covered"},
			declarative: errs{"FieldValueInvalid spec.replicas minimum"},
		},
		{
			name: "no rules", version: "v1", kind: "ConfigMap",
			object:      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`,
			handwritten: errs{"FieldValueRequired metadata.namespace"}, declarative: errs{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := oracle.Request{
				ID: 1, Operation: oracle.Create, APIVersion: test.version, Kind: test.kind, Subresource: test.sub,
				Object: json.RawMessage(test.object), Options: test.options,
			}
			if test.old != "" {
				req.Operation, req.OldObject = oracle.Update, json.RawMessage(test.old)
			}
			for side, want := range map[string]errs{handwritten: test.handwritten, declarative: test.declarative} {
				if got := errorsOf(t, newTestJudge(t, side), req); !reflect.DeepEqual(errs(got), want) {
					t.Errorf("%s: got %q, want %q", side, got, want)
				}
			}
		})
	}
}

func TestQuestionsThatCannotBeJudged(t *testing.T) {
	object := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"}}`
	for _, test := range []struct {
		name, kind, sub, object, want string
		options                       map[string]bool
	}{
		{"unknown kind", "Gadget", "", object, "kind `Gadget` is not in kinds.go", nil},
		{"unknown subresource", "ConfigMap", "status", object, "subresource `status` of `ConfigMap` is not in kinds.go", nil},
		{"wrong kind", "Secret", "", object, "decode object: it is a `/v1, Kind=ConfigMap`", nil},
		{"wrong type", "ConfigMap", "", `{"data":[]}`, "decode object: json: cannot unmarshal", nil},
		{"unknown option", "ConfigMap", "", object, "option `Nonesuch` is on", map[string]bool{"Nonesuch": true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := newTestJudge(t, handwritten).judge(context.Background(), &oracle.Request{
				Operation: oracle.Create, APIVersion: "v1", Kind: test.kind, Subresource: test.sub,
				Object: json.RawMessage(test.object), Options: test.options,
			})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestOptionsOfAQuestionEndWithIt(t *testing.T) {
	j := newTestJudge(t, declarative)
	req := oracle.Request{
		Operation: oracle.Create, APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler",
		Object: json.RawMessage(fmt.Sprintf(autoscaler, 0, 2)),
	}
	before := errorsOf(t, j, req)
	req.Options = map[string]bool{"HPAScaleToZero": true}
	during := errorsOf(t, j, req)
	req.Options = nil
	if after := errorsOf(t, j, req); len(before) != 1 || len(during) != 0 || len(after) != 1 {
		t.Errorf("%q, %q, %q", before, during, after)
	}
}

func TestEveryKindDecodes(t *testing.T) {
	j := newTestJudge(t, handwritten)
	kinds := j.kinds()
	if len(kinds) < len(j.table) {
		t.Errorf("%d versions of %d kinds: is an install package missing?", len(kinds), len(j.table))
	}
	for _, kind := range kinds {
		object := json.RawMessage(fmt.Sprintf(`{"apiVersion":%q,"kind":%q}`, kind.APIVersion, kind.Kind))
		for _, subresource := range append([]string{""}, kind.Subresources...) {
			if subresource == "" && kind.OnlySubresources {
				continue
			}
			_, err := j.read(&oracle.Request{
				Operation: oracle.Update, APIVersion: kind.APIVersion, Kind: kind.Kind, Subresource: subresource,
				Object: object, OldObject: object,
			})
			if err != nil {
				t.Errorf("%s %s %s: %v", kind.APIVersion, kind.Kind, subresource, err)
			}
		}
	}
}

// configured is a strategy as they are from 1.37 on: it runs the handwritten checks only, and says what the others need.
type configured struct{ panics bool }

type config struct{ Options []string }

func (c configured) Validate(context.Context, runtime.Object) field.ErrorList {
	if c.panics {
		panic("handwritten")
	}
	return field.ErrorList{field.Required(field.NewPath("spec"), "")}
}

func (c configured) ValidateUpdate(ctx context.Context, obj, _ runtime.Object) field.ErrorList {
	return c.Validate(ctx, obj)
}

func (configured) DeclarativeValidationConfig(context.Context, runtime.Object, runtime.Object) config {
	return config{Options: []string{"HPAScaleToZero"}}
}

// unwired is a strategy that does not run the generated validation yet.
type unwired struct{ strategy }

func TestStrategiesThatDoNotMerge(t *testing.T) {
	for _, test := range []struct {
		name     string
		strategy strategy
		minimum  int
		want     []string
	}{
		{"options come from the strategy", configured{}, 0, []string{}},
		{"rules run with them", configured{}, -1, []string{"FieldValueInvalid spec.minReplicas minimum"}},
		{"not wired up", unwired{configured{}}, 0, []string{"FieldValueInvalid spec.minReplicas minimum"}},
		{"the other side panics", unwired{configured{panics: true}}, 0, []string{"FieldValueInvalid spec.minReplicas minimum"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := newTestJudge(t, declarative)
			j.table = in("autoscaling", kind("HorizontalPodAutoscaler", test.strategy))
			req := oracle.Request{
				Operation: oracle.Create, APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler",
				Object: json.RawMessage(fmt.Sprintf(autoscaler, test.minimum, 2)),
			}
			if got := errorsOf(t, j, req); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
