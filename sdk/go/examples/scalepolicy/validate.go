package main

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"takeover.dev/oracle"
)

const (
	maxReplicas        = 1000
	maxCooldownSeconds = 3600
	maxScheduleEntries = 32
	maxWindows         = 16
	maxWindowLength    = 64
	maxMetrics         = 16
)

var (
	modes       = []string{"Auto", "Manual", "Off"}
	metricTypes = []string{"Resource", "Pods", "External"}

	cronText     = regexp.MustCompile(`^[0-9*,/-]+( [0-9*,/-]+){4}$`)
	timeZoneText = regexp.MustCompile(`^[A-Za-z_]+(/[A-Za-z0-9_+-]+)*$`)
)

// Validator is the webhook's validator, in the shape of controller-runtime's.
type Validator struct{ check check }

// ValidateCreate judges a new policy.
func (v *Validator) ValidateCreate(_ context.Context, policy *ScalePolicy) ([]string, error) {
	return warnings(policy), v.check(policy, nil)
}

// ValidateUpdate judges a policy that replaces old.
func (v *Validator) ValidateUpdate(_ context.Context, old, policy *ScalePolicy) ([]string, error) {
	return warnings(policy), v.check(policy, old)
}

func warnings(policy *ScalePolicy) []string {
	if policy.Spec.Mode == "Off" && len(policy.Spec.Schedule) > 0 {
		return []string{"spec.schedule has no effect while spec.mode is Off"}
	}
	return nil
}

// check returns what is wrong with a policy. old is nil on creates.
type check func(policy, old *ScalePolicy) oracle.Errors

func validate(policy, old *ScalePolicy) oracle.Errors {
	var e errorList
	spec := &policy.Spec
	e.targetRef("spec.targetRef", spec.TargetRef, old)
	e.replicas(spec)
	if spec.Mode != "" {
		e.oneOf("spec.mode", spec.Mode, modes)
	}
	if spec.CooldownSeconds != nil {
		e.between("spec.cooldownSeconds", spec.CooldownSeconds, 0, maxCooldownSeconds)
	}
	e.schedule("spec.schedule", spec.Schedule)
	e.windows("spec.windows", spec.Windows)
	e.atMost("spec.metrics", len(spec.Metrics), maxMetrics)
	for i := range spec.Metrics {
		e.metric(at("spec.metrics", i), &spec.Metrics[i])
	}
	return oracle.Errors(e)
}

func (e *errorList) targetRef(path string, ref *TargetReference, old *ScalePolicy) {
	if ref == nil {
		e.add(oracle.Required, path, nil, "")
		return
	}
	e.notEmpty(path+".apiVersion", ref.APIVersion)
	e.notEmpty(path+".kind", ref.Kind)
	e.notEmpty(path+".name", ref.Name)
	if old != nil && old.Spec.TargetRef != nil && *ref != *old.Spec.TargetRef {
		e.add(oracle.Invalid, path, ref, "field is immutable")
	}
}

func (e *errorList) replicas(spec *ScalePolicySpec) {
	lowest := int32(1)
	if spec.MinReplicas != nil {
		lowest = *spec.MinReplicas
		e.between("spec.minReplicas", spec.MinReplicas, 1, math.MaxInt32)
	}
	path := "spec.maxReplicas"
	switch highest := spec.MaxReplicas; {
	case highest == nil:
		e.add(oracle.Required, path, nil, "")
	case *highest > maxReplicas:
		e.between(path, highest, math.MinInt32, maxReplicas)
	case *highest < lowest:
		e.add(oracle.Invalid, path, *highest, "must be at least minReplicas")
	}
}

func (e *errorList) schedule(path string, entries []ScheduleEntry) {
	e.atMost(path, len(entries), maxScheduleEntries)
	names := map[string]bool{}
	for i, entry := range entries {
		path := at(path, i)
		e.notEmpty(path+".name", entry.Name)
		if entry.Name != "" && names[entry.Name] {
			e.add(oracle.Duplicate, path, map[string]string{"name": entry.Name}, "")
		}
		names[entry.Name] = true
		if e.notEmpty(path+".cron", entry.Cron) && !cronText.MatchString(entry.Cron) {
			e.add(oracle.Invalid, path+".cron", entry.Cron, "must be five fields of digits, *, comma, - and /")
		}
		if entry.TimeZone != "" && !timeZoneText.MatchString(entry.TimeZone) {
			e.add(oracle.Invalid, path+".timeZone", entry.TimeZone, "must be a time zone such as Europe/Berlin")
		}
		e.between(path+".replicas", entry.Replicas, 0, maxReplicas)
	}
}

func (e *errorList) windows(path string, windows []string) {
	e.atMost(path, len(windows), maxWindows)
	for i, window := range windows {
		if utf8.RuneCountInString(window) > maxWindowLength {
			e.add(oracle.TooLong, at(path, i), nil, tooLong)
		}
	}
}

func (e *errorList) metric(path string, metric *Metric) {
	if e.notEmpty(path+".type", metric.Type) {
		e.oneOf(path+".type", metric.Type, metricTypes)
		e.unionMember(path+".resource", metric.Type, "Resource", metric.Resource != nil)
		e.unionMember(path+".pods", metric.Type, "Pods", metric.Pods != nil)
		e.unionMember(path+".external", metric.Type, "External", metric.External != nil)
	}
	if m := metric.Resource; m != nil {
		e.notEmpty(path+".resource.name", m.Name)
		e.between(path+".resource.targetUtilization", m.TargetUtilization, 1, 100)
	}
	if m := metric.Pods; m != nil {
		e.notEmpty(path+".pods.metric", m.Metric)
		e.between(path+".pods.targetValue", m.TargetValue, 1, math.MaxInt32)
	}
	if m := metric.External; m != nil {
		e.notEmpty(path+".external.query", m.Query)
		e.between(path+".external.targetValue", m.TargetValue, 1, math.MaxInt32)
	}
}

var tooLong = fmt.Sprintf("may not be more than %d characters", maxWindowLength)

type errorList oracle.Errors

func (e *errorList) add(kind oracle.ErrorType, path string, value any, detail string) {
	*e = append(*e, oracle.FieldError{Type: kind, Field: path, BadValue: value, Detail: detail})
}

func (e *errorList) notEmpty(path, value string) bool {
	if value == "" {
		e.add(oracle.Required, path, nil, "")
	}
	return value != ""
}

// between requires a value, and that it keeps its bounds.
func (e *errorList) between(path string, value *int32, low, high int32) {
	switch {
	case value == nil:
		e.add(oracle.Required, path, nil, "")
	case *value < low:
		e.add(oracle.Invalid, path, *value, fmt.Sprintf("must be at least %d", low))
	case *value > high:
		e.add(oracle.Invalid, path, *value, fmt.Sprintf("must be at most %d", high))
	}
}

func (e *errorList) atMost(path string, count, limit int) {
	if count > limit {
		e.add(oracle.TooMany, path, count, fmt.Sprintf("must have at most %d items", limit))
	}
}

func (e *errorList) oneOf(path, value string, supported []string) {
	if !slices.Contains(supported, value) {
		e.add(oracle.NotSupported, path, value, supportedValues(supported))
	}
}

func (e *errorList) unionMember(path, actual, name string, set bool) {
	switch {
	case actual == name && !set:
		e.add(oracle.Required, path, nil, "must be set when type is "+name)
	case actual != name && set:
		e.add(oracle.Forbidden, path, nil, "may only be set when type is "+name)
	}
}

func supportedValues(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value)
	}
	return "supported values: " + strings.Join(quoted, ", ")
}

func at(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }
