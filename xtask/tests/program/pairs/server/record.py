"""Records what an API server answers, for the tests to play back.

    python3 record.py https://127.0.0.1:6443 CA-FILE TOKEN-FILE recording.jsonl [MOST-OF-A-KIND]

It listens on 127.0.0.1:18080, passes every request on, and writes the exchanges that the player needs when it is stopped with
Ctrl-C. Point a kubeconfig without user at it, and soak pairs with few cases. Whatever a server makes up is replaced, so that
the same question always has the same text: names of scratch namespaces and of stored objects, uids, versions and times. Of a
dry run that succeeds, the object is left out.
"""

import http.client
import http.server
import json
import re
import signal
import ssl
import sys
import threading
import urllib.parse

UID = "00000000-0000-4000-8000-000000000000"
TIME = "2026-01-01T00:00:00Z"
VERSION = "1"
# Largest body of a request that is worth its place.
LARGEST = 800

upstream, authority, token_file, out = sys.argv[1:5]
most = int(sys.argv[5]) if len(sys.argv) > 5 else 60
host = urllib.parse.urlsplit(upstream)
trust = ssl.create_default_context(cafile=authority)
token = open(token_file, encoding="utf-8").read().strip()
exchanges = {}
# By the path of an old object: what stored it, and what gave it its status.
stored = {}
lock = threading.Lock()


def plain(text):
    """Without the names that differ from run to run."""
    text = re.sub(r"takeover-scratch-[0-9a-f]{16}", "takeover-scratch-0", text)
    return re.sub(r"takeover-[0-9]+", "takeover-0", text)


def settled(value):
    """An object without what a server makes up."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if isinstance(metadata, dict):
        metadata.pop("managedFields", None)
        for member, known in (("uid", UID), ("creationTimestamp", TIME), ("resourceVersion", VERSION)):
            if member in metadata:
                metadata[member] = known
    if isinstance(value, dict) and "preconditions" in value:
        value["preconditions"]["uid"] = UID
    return value


def kept(target, code, reply):
    """What the player needs of a reply."""
    if reply.get("kind") == "APIResourceList":
        resources = [{key: one[key] for key in ("name", "kind", "namespaced")} for one in reply["resources"]]
        return {"kind": "APIResourceList", "resources": resources}
    if reply.get("kind") == "Status":
        reply = {key: reply[key] for key in ("kind", "message", "reason", "details", "code") if key in reply}
        causes = reply.get("details", {}).get("causes")
        # The message repeats the causes.
        return {"kind": "Status", "code": reply.get("code"), "details": {"causes": causes}} if causes else reply
    if code < 300 and "dryRun=All" in target:
        return {}
    return settled(reply)


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        connection = http.client.HTTPSConnection(host.hostname, host.port, context=trust)
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        connection.request(self.command, self.path, body or None, headers)
        response = connection.getresponse()
        reply = response.read()
        connection.close()
        with lock:
            self.note(body, response.status, reply)
        self.send_response(response.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def note(self, body, code, reply):
        target = plain(self.path)
        raw = json.loads(body) if body else None
        asked = settled(json.loads(plain(body.decode()))) if body else None
        said = kept(target, code, json.loads(plain(reply.decode())))
        key = json.dumps([self.command, target, asked], sort_keys=True)
        exchange = {"method": self.command, "target": target, "body": asked, "code": code, "reply": said}
        exchange = exchanges.setdefault(key, exchange)
        path, is_dry = urllib.parse.unquote(self.path.split("?")[0]), "dryRun=All" in self.path
        if self.command == "POST" and not is_dry:
            stored[path + "/" + raw["metadata"]["name"]] = [exchange]
        elif self.command == "PUT" and not is_dry:
            stored[path.removesuffix("/status")].append(exchange)
        elif self.command == "PUT":
            exchange["old"] = list(stored[path.removesuffix("/status")])

    def log_message(self, *_):
        pass

    do_GET = do_POST = do_PUT = do_DELETE = answer


def few(all_of_them, first, last):
    """The first ones and the last ones of each target."""
    by_target = {}
    for exchange in all_of_them:
        by_target.setdefault(exchange["target"], []).append(exchange)
    for same in by_target.values():
        yield from same[:first] + same[first:][-last:]


def chosen():
    """What is written: some creates and updates of each kind, and whatever these need."""
    every = [one for one in exchanges.values() if len(json.dumps(one["body"])) <= LARGEST]
    is_dry = lambda exchange: "dryRun=All" in exchange["target"]
    creates = [one for one in every if one["method"] == "POST" and is_dry(one)]
    updates = [one for one in every if one["method"] == "PUT" and is_dry(one)]
    refused = [one for one in every if one["method"] == "POST" and not is_dry(one) and one["code"] == 422]
    yield from (one for one in every if one["method"] in ("GET", "DELETE") or one["target"] == "/api/v1/namespaces")
    yield from few(creates, 1, most)
    for update in few(updates, 0, most // 2):
        if all(len(json.dumps(one["body"])) <= LARGEST for one in update["old"]):
            yield from update["old"]
            yield update
    yield from few(refused, 0, 3)


def written():
    """The exchanges, each once; an update names the numbers of those that stored its old object."""
    numbers, lines = {}, []
    for exchange in chosen():
        if id(exchange) not in numbers:
            numbers[id(exchange)] = len(lines)
            lines.append(exchange)
    kinds = {one["body"]["kind"] for one in lines if one["body"] and "kind" in one["body"]}
    for exchange in lines:
        if "old" in exchange:
            exchange["old"] = [numbers[id(one)] for one in exchange["old"]]
        if exchange["reply"].get("kind") == "APIResourceList":
            exchange["reply"]["resources"] = [one for one in exchange["reply"]["resources"] if one["kind"] in kinds]
        yield exchange


for asked_to_stop in (signal.SIGINT, signal.SIGTERM):
    signal.signal(asked_to_stop, signal.default_int_handler)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 18080), Proxy)
try:
    server.serve_forever()
except KeyboardInterrupt:
    with open(out, "w", encoding="utf-8") as file:
        for exchange in written():
            file.write(json.dumps(exchange, separators=(",", ":"), ensure_ascii=False) + "\n")
