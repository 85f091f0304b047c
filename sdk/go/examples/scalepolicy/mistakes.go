package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"takeover.dev/oracle"
)

// mistakes are what may go wrong in a webhook, planted from outside: each turns right errors into those of a validator with
// the mistake. The README lists them; those of the Python example have the same numbers and answers.
var mistakes = []func(errs oracle.Errors, policy, old *ScalePolicy) oracle.Errors{
	offByOneBound, forgottenCheck, wrongPath, wrongType, onlyOnCreate,
	mutable, uniqueByWrongKey, emptyRequired, wrongEnumMember, bytesForCharacters,
}

// withMistake plants a mistake, counted from 1; 0 plants none.
func withMistake(number int, right check) (check, error) {
	if number < 0 || number > len(mistakes) {
		return nil, fmt.Errorf("no mistake %d: there are 1 to %d", number, len(mistakes))
	}
	if number == 0 {
		return right, nil
	}
	mistake := mistakes[number-1]
	return func(policy, old *ScalePolicy) oracle.Errors { return mistake(right(policy, old), policy, old) }, nil
}

func offByOneBound(errs oracle.Errors, policy, _ *ScalePolicy) oracle.Errors {
	lowest, highest := policy.Spec.MinReplicas, policy.Spec.MaxReplicas
	if highest == nil || *highest != maxReplicas+1 || lowest != nil && *lowest > *highest {
		return errs
	}
	return without(errs, func(e oracle.FieldError) bool { return e.Field == "spec.maxReplicas" })
}

func forgottenCheck(errs oracle.Errors, _, _ *ScalePolicy) oracle.Errors {
	return without(errs, func(e oracle.FieldError) bool { return e.Field == "spec.cooldownSeconds" })
}

func wrongPath(errs oracle.Errors, _, _ *ScalePolicy) oracle.Errors {
	for i := range errs {
		if isEntry(errs[i].Field, ".cron") {
			errs[i].Field = "spec.schedule.cron"
		}
	}
	return errs
}

func wrongType(errs oracle.Errors, _, _ *ScalePolicy) oracle.Errors {
	for i := range errs {
		if errs[i].Field == "spec.mode" {
			errs[i].Type = oracle.Invalid
		}
	}
	return errs
}

func onlyOnCreate(errs oracle.Errors, _, old *ScalePolicy) oracle.Errors {
	return without(errs, func(e oracle.FieldError) bool { return old != nil && isEntry(e.Field, ".timeZone") })
}

func mutable(errs oracle.Errors, _, _ *ScalePolicy) oracle.Errors {
	return without(errs, func(e oracle.FieldError) bool { return e.Field == "spec.targetRef" && e.Type == oracle.Invalid })
}

func uniqueByWrongKey(errs oracle.Errors, policy, _ *ScalePolicy) oracle.Errors {
	errs = without(errs, func(e oracle.FieldError) bool { return e.Type == oracle.Duplicate })
	seen := map[string]bool{}
	for i, entry := range policy.Spec.Schedule {
		if seen[entry.Cron] {
			errs = append(errs, oracle.FieldError{
				Type: oracle.Duplicate, Field: at("spec.schedule", i), BadValue: map[string]string{"cron": entry.Cron},
			})
		}
		seen[entry.Cron] = true
	}
	return errs
}

func emptyRequired(errs oracle.Errors, _, _ *ScalePolicy) oracle.Errors {
	return without(errs, func(e oracle.FieldError) bool { return e.Field == "spec.targetRef.name" })
}

func wrongEnumMember(errs oracle.Errors, policy, _ *ScalePolicy) oracle.Errors {
	errs = without(errs, func(e oracle.FieldError) bool { return e.Field == "spec.mode" })
	switch mode := policy.Spec.Mode; mode {
	case "", "Auto", "Manual", "Disabled":
		return errs
	default:
		return append(errs, oracle.FieldError{
			Type: oracle.NotSupported, Field: "spec.mode", BadValue: mode,
			Detail: supportedValues([]string{"Auto", "Manual", "Disabled"}),
		})
	}
}

func bytesForCharacters(errs oracle.Errors, policy, _ *ScalePolicy) oracle.Errors {
	for i, window := range policy.Spec.Windows {
		if len(window) > maxWindowLength && utf8.RuneCountInString(window) <= maxWindowLength {
			errs = append(errs, oracle.FieldError{Type: oracle.TooLong, Field: at("spec.windows", i), Detail: tooLong})
		}
	}
	return errs
}

func without(errs oracle.Errors, drop func(oracle.FieldError) bool) oracle.Errors {
	var kept oracle.Errors
	for _, e := range errs {
		if !drop(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// isEntry tells whether path names a member of a schedule entry.
func isEntry(path, member string) bool {
	return strings.HasPrefix(path, "spec.schedule[") && strings.HasSuffix(path, member)
}
