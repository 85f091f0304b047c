"""A validator of Widgets that misbehaves as it is told: `oracle.py [BEHAVIOUR…]`."""

import json
import os
import sys
import time

HELLO = {"protocol": 1, "name": "widgets", "answers": "errors", "steady": True, "batch": 64, "pending": 256}


def error(type, field, detail, value=None):
    return {"type": type, "field": field, "detail": detail, "badValue": value}


def judged(question):
    """The errors of a sound validator."""
    if "accept-everything" in behaviour:
        return []
    spec = question["object"].get("spec") or {}
    errors = []
    if not spec.get("owner"):
        errors.append(error("FieldValueRequired", "spec.owner", ""))
    if "accept-all-sizes" not in behaviour and not 1 <= (spec.get("size") or 0) <= 1000:
        errors.append(error("FieldValueInvalid", "spec.size", "must be between 1 and 1000, inclusive", spec.get("size")))
    if spec.get("colour", "red") not in ("red", "green"):
        errors.append(error("FieldValueNotSupported", "spec.colour", 'supported values: "red", "green"', spec["colour"]))
    if "refuse-green" in behaviour and spec.get("colour") == "green":
        errors.append(error("FieldValueNotSupported", "spec.colour", 'supported values: "red"', "green"))
    old = question.get("oldObject")
    if old is not None and ((old.get("spec") or {}).get("owner") or "") != (spec.get("owner") or ""):
        errors.append(error("FieldValueInvalid", "spec.owner", "field is immutable"))
    return errors


def is_marked(question):
    """Whether it is an object at which an oracle misbehaves."""
    return (question["object"].get("spec") or {}).get("owner") == "misbehave"


asked = 0


def answer(question):
    global asked
    asked += 1
    identity = question["id"]
    if "only-hello" in behaviour:
        os._exit(3)
    if "unsteady" in behaviour and asked % 3 == 0:
        return {"id": identity, "errors": [error("FieldValueInvalid", "spec.colour", "not today")]}
    if not is_marked(question):
        return {"id": identity, "errors": judged(question)}
    if "die" in behaviour:
        sys.stderr.write("widget index out of range\n")
        sys.stderr.flush()
        os._exit(3)
    if "late" in behaviour:
        time.sleep(30)
    if "garbage" in behaviour:
        out.write(b"Traceback: what a day\n")
        return None
    if "wrong-id" in behaviour:
        return {"id": identity + 1_000_000, "errors": []}
    if "panic" in behaviour:
        return {"id": identity, "panic": "nil dereference"}
    return {"id": identity, "errors": judged(question)}


def main():
    if "forks" in behaviour and os.fork() == 0:
        os.setsid() if "away" in behaviour else None
        time.sleep(60)
        os._exit(0)
    hello = dict(HELLO)
    if "other-protocol" in behaviour:
        hello["protocol"] = 2
    if "decision" in behaviour:
        hello["answers"] = "decision"
    sys.stdin.buffer.readline()
    out.write(json.dumps({"hello": hello}).encode() + b"\n")
    out.flush()
    for line in sys.stdin.buffer:
        message = json.loads(line)
        questions = message["questions"] if "questions" in message else [message]
        answers = [a for a in map(answer, questions) if a is not None]
        if "alone" in behaviour and len(questions) == 1:
            answers = [{"id": questions[0]["id"], "errors": [error("FieldValueInvalid", "spec.colour", "not alone")]}]
        if answers:
            out.write(json.dumps({"answers": answers}).encode() + b"\n")
        out.flush()


out = sys.stdout.buffer
behaviour = set(sys.argv[1:])
main()
