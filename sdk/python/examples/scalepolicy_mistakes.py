"""What may go wrong in a webhook, planted from outside.

Each mistake turns right errors into those of a validator with the mistake. The Go example's README lists them; those of the
Go example have the same numbers and answers.
"""

import re
from dataclasses import replace

from takeover_oracle import FieldError


def with_mistake(number, right):
    """Plant a mistake, counted from 1; 0 plants none."""
    if not 0 <= number <= len(MISTAKES):
        raise ValueError(f"no mistake {number}: there are 1 to {len(MISTAKES)}")
    if number == 0:
        return right
    mistake = MISTAKES[number - 1]
    return lambda policy, old: mistake(list(right(policy, old)), policy, old)


def off_by_one_bound(errors, policy, old):
    spec = policy.get("spec") or {}
    if spec.get("maxReplicas") != 1001 or (spec.get("minReplicas") or 0) > 1001:
        return errors
    return [e for e in errors if e.field != "spec.maxReplicas"]


def forgotten_check(errors, policy, old):
    return [e for e in errors if e.field != "spec.cooldownSeconds"]


def wrong_path(errors, policy, old):
    return [replace(e, field="spec.schedule.cron") if is_entry(e.field, "cron") else e for e in errors]


def wrong_type(errors, policy, old):
    return [replace(e, type="FieldValueInvalid") if e.field == "spec.mode" else e for e in errors]


def only_on_create(errors, policy, old):
    return [e for e in errors if old is None or not is_entry(e.field, "timeZone")]


def mutable(errors, policy, old):
    return [e for e in errors if e.field != "spec.targetRef" or e.type != "FieldValueInvalid"]


def unique_by_wrong_key(errors, policy, old):
    errors = [e for e in errors if e.type != "FieldValueDuplicate"]
    seen = set()
    for i, entry in enumerate((policy.get("spec") or {}).get("schedule") or ()):
        cron = (entry or {}).get("cron") or ""
        if cron in seen:
            errors.append(FieldError("FieldValueDuplicate", f"spec.schedule[{i}]", bad_value={"cron": cron}))
        seen.add(cron)
    return errors


def empty_required(errors, policy, old):
    return [e for e in errors if e.field != "spec.targetRef.name"]


def wrong_enum_member(errors, policy, old):
    errors = [e for e in errors if e.field != "spec.mode"]
    mode = (policy.get("spec") or {}).get("mode") or ""
    if mode not in ("", "Auto", "Manual", "Disabled"):
        detail = 'supported values: "Auto", "Manual", "Disabled"'
        errors.append(FieldError("FieldValueNotSupported", "spec.mode", detail, mode))
    return errors


def bytes_for_characters(errors, policy, old):
    for i, window in enumerate((policy.get("spec") or {}).get("windows") or ()):
        if len(window or "") <= 64 < len((window or "").encode()):
            errors.append(FieldError("FieldValueTooLong", f"spec.windows[{i}]", "may not be more than 64 characters"))
    return errors


def is_entry(path, name):
    """Whether a path names a member of a schedule entry."""
    return re.fullmatch(rf"spec\.schedule\[\d+\]\.{name}", path) is not None


MISTAKES = [
    off_by_one_bound,
    forgotten_check,
    wrong_path,
    wrong_type,
    only_on_create,
    mutable,
    unique_by_wrong_key,
    empty_required,
    wrong_enum_member,
    bytes_for_characters,
]
