"""Sets the defaults of Widgets; with the argument `replaces`, also where a value is set to false, and with `forgets-null`, not where one is
null."""

import json
import sys

HELLO = {"protocol": 1, "name": "defaulter", "answers": "object", "steady": True, "batch": 64, "pending": 256}


def defaulted(object):
    spec = object["spec"] = object.get("spec") or {}
    if not spec.get("replicas"):
        spec["replicas"] = 1
    if not spec.get("strategy"):
        spec["strategy"] = "Recreate"
    forgets = "forgets-null" in sys.argv and "public" in spec
    if spec.get("public") is None and not forgets or "replaces" in sys.argv:
        spec["public"] = True
    # Go takes a null item for an empty one.
    if spec.get("ports"):
        spec["ports"] = [port or {} for port in spec["ports"]]
    for port in spec.get("ports") or []:
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    return object


sys.stdin.buffer.readline()
print(json.dumps({"hello": HELLO}), flush=True)
for line in sys.stdin.buffer:
    message = json.loads(line)
    questions = message["questions"] if "questions" in message else [message]
    answers = [{"id": question["id"], "object": defaulted(question["object"])} for question in questions]
    print(json.dumps({"answers": answers}), flush=True)
