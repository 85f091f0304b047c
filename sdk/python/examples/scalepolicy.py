"""Answer Takeover's questions about ScalePolicy objects, as the validating webhook of the Go example does."""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scalepolicy_mistakes import with_mistake  # noqa: E402
from takeover_oracle import Answer, Failure, FieldError, Kind, serve  # noqa: E402

MAX_REPLICAS = 1000
MAX_COOLDOWN_SECONDS = 3600
MAX_SCHEDULE_ENTRIES = 32
MAX_WINDOWS = 16
MAX_WINDOW_LENGTH = 64
MAX_METRICS = 16
INT32 = range(-(2**31), 2**31)

MODES = ("Auto", "Manual", "Off")
METRIC_TYPES = ("Resource", "Pods", "External")

CRON = re.compile(r"[0-9*,/-]+( [0-9*,/-]+){4}")
TIME_ZONE = re.compile(r"[A-Za-z_]+(/[A-Za-z0-9_+-]+)*")


def validate(policy, old):
    """Yield what is wrong with a policy. `old` is None on creates."""
    spec = member(policy, "spec", dict) or {}
    old_ref = member(member(old or {}, "spec", dict) or {}, "targetRef", dict)
    yield from validate_target_ref("spec.targetRef", member(spec, "targetRef", dict), old_ref)
    yield from validate_replicas(member(spec, "minReplicas", int), member(spec, "maxReplicas", int))
    if mode := member(spec, "mode", str):
        yield from one_of("spec.mode", mode, MODES)
    cooldown = member(spec, "cooldownSeconds", int)
    if cooldown is not None:
        yield from between("spec.cooldownSeconds", cooldown, 0, MAX_COOLDOWN_SECONDS)
    yield from validate_schedule("spec.schedule", items(spec, "schedule", dict))
    yield from validate_windows("spec.windows", items(spec, "windows", str))
    metrics = items(spec, "metrics", dict)
    yield from at_most("spec.metrics", metrics, MAX_METRICS)
    for i, metric in enumerate(metrics):
        yield from validate_metric(f"spec.metrics[{i}]", metric)


def validate_target_ref(path, ref, old_ref):
    if ref is None:
        yield FieldError("FieldValueRequired", path)
        return
    for name in REFERENCE:
        yield from not_empty(f"{path}.{name}", member(ref, name, str))
    if old_ref is not None and reference(ref) != reference(old_ref):
        yield FieldError("FieldValueInvalid", path, "field is immutable", reference(ref))


REFERENCE = ("apiVersion", "kind", "name")


def reference(ref):
    return {name: member(ref, name, str) or "" for name in REFERENCE}


def validate_replicas(lowest, highest):
    if lowest is None:
        lowest = 1
    yield from between("spec.minReplicas", lowest, 1, INT32[-1])
    path = "spec.maxReplicas"
    if highest is None:
        yield FieldError("FieldValueRequired", path)
    elif highest > MAX_REPLICAS:
        yield from between(path, highest, INT32[0], MAX_REPLICAS)
    elif highest < lowest:
        yield FieldError("FieldValueInvalid", path, "must be at least minReplicas", highest)


def validate_schedule(path, entries):
    yield from at_most(path, entries, MAX_SCHEDULE_ENTRIES)
    names = set()
    for i, entry in enumerate(entries):
        at = f"{path}[{i}]"
        name = member(entry, "name", str)
        yield from not_empty(f"{at}.name", name)
        if name and name in names:
            yield FieldError("FieldValueDuplicate", at, bad_value={"name": name})
        names.add(name)
        cron = member(entry, "cron", str)
        yield from not_empty(f"{at}.cron", cron)
        if cron and not CRON.fullmatch(cron):
            yield FieldError("FieldValueInvalid", f"{at}.cron", "must be five fields of digits, *, comma, - and /", cron)
        zone = member(entry, "timeZone", str)
        if zone and not TIME_ZONE.fullmatch(zone):
            yield FieldError("FieldValueInvalid", f"{at}.timeZone", "must be a time zone such as Europe/Berlin", zone)
        yield from between(f"{at}.replicas", member(entry, "replicas", int), 0, MAX_REPLICAS)


def validate_windows(path, windows):
    yield from at_most(path, windows, MAX_WINDOWS)
    for i, window in enumerate(windows):
        if len(window) > MAX_WINDOW_LENGTH:
            yield FieldError("FieldValueTooLong", f"{path}[{i}]", f"may not be more than {MAX_WINDOW_LENGTH} characters")


def validate_metric(path, metric):
    kind = member(metric, "type", str)
    resource, pods, external = (member(metric, name, dict) for name in ("resource", "pods", "external"))
    yield from not_empty(f"{path}.type", kind)
    if kind:
        yield from one_of(f"{path}.type", kind, METRIC_TYPES)
        yield from union_member(f"{path}.resource", kind, "Resource", resource)
        yield from union_member(f"{path}.pods", kind, "Pods", pods)
        yield from union_member(f"{path}.external", kind, "External", external)
    if resource is not None:
        yield from not_empty(f"{path}.resource.name", member(resource, "name", str))
        yield from between(f"{path}.resource.targetUtilization", member(resource, "targetUtilization", int), 1, 100)
    if pods is not None:
        yield from not_empty(f"{path}.pods.metric", member(pods, "metric", str))
        yield from between(f"{path}.pods.targetValue", member(pods, "targetValue", int), 1, INT32[-1])
    if external is not None:
        yield from not_empty(f"{path}.external.query", member(external, "query", str))
        yield from between(f"{path}.external.targetValue", member(external, "targetValue", int), 1, INT32[-1])


def not_empty(path, value):
    if not value:
        yield FieldError("FieldValueRequired", path)


def between(path, value, low, high):
    """Require a value, and that it keeps its bounds."""
    if value is None:
        yield FieldError("FieldValueRequired", path)
    elif value < low:
        yield FieldError("FieldValueInvalid", path, f"must be at least {low}", value)
    elif value > high:
        yield FieldError("FieldValueInvalid", path, f"must be at most {high}", value)


def at_most(path, values, limit):
    if len(values) > limit:
        yield FieldError("FieldValueTooMany", path, f"must have at most {limit} items", len(values))


def one_of(path, value, supported):
    if value not in supported:
        quoted = ", ".join(f'"{v}"' for v in supported)
        yield FieldError("FieldValueNotSupported", path, f"supported values: {quoted}", value)


def union_member(path, actual, name, value):
    if actual == name and value is None:
        yield FieldError("FieldValueRequired", path, f"must be set when type is {name}")
    elif actual != name and value is not None:
        yield FieldError("FieldValueForbidden", path, f"may only be set when type is {name}")


def member(value, name, kind):
    """The member of an object, None if it is not there. One of another type cannot be judged."""
    return typed(name, value.get(name), kind)


def items(value, name, kind):
    return [kind() if item is None else typed(name, item, kind) for item in member(value, name, list) or ()]


def typed(name, value, kind):
    if value is None or type(value) is kind and (kind is not int or value in INT32):
        return value
    raise Failure(f"decode object: {name} must be of type {kind.__name__}")


def warnings(policy):
    spec = policy.get("spec") or {}
    if spec.get("mode") == "Off" and spec.get("schedule"):
        return ["spec.schedule has no effect while spec.mode is Off"]
    return []


def judge_with(check):
    def judge(question):
        return Answer(list(check(question.object, question.old_object)), warnings(question.object))

    return judge


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mistake", type=int, default=0, metavar="N", help="plant the Nth mistake of the Go example's README")
    arguments = parser.parse_args()
    try:
        check = with_mistake(arguments.mistake, validate)
    except ValueError as error:
        parser.error(str(error))
    serve(judge_with(check), name="scalepolicy-webhook", version="1.0.0", kinds=[Kind("scaling.example.com/v1", "ScalePolicy")])


if __name__ == "__main__":
    main()
