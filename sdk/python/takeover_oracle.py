"""Make a Python validator answer Takeover's questions.

One file, standard library only, Python 3.9 or newer. It speaks version 1 of the oracle protocol on standard input and output:

    from takeover_oracle import FieldError, Kind, serve

    def judge(question):
        if question.object["spec"]["size"] < 1:
            yield FieldError("FieldValueInvalid", "spec.size", "must be at least 1", question.object["spec"]["size"])

    serve(judge, name="widget-webhook", kinds=[Kind("shop.example.com/v1", "Widget")])
"""

import json
import os
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Callable, Optional, Union

__all__ = ["Answer", "Changed", "Decision", "Failure", "FieldError", "Kind", "Question", "serve"]

PROTOCOL = 1
MAX_LINE = 64 << 20


class Failure(Exception):
    """Raised by a judge that cannot judge a question."""


@dataclass(frozen=True)
class Kind:
    """A kind that an oracle judges. `main=False` leaves out the main resource."""

    api_version: str
    kind: str
    subresources: Iterable[str] = ()
    main: bool = True


@dataclass(frozen=True)
class Question:
    """May this object be stored?

    `operation` is `create` or `update`; `old_object` is the stored object of an update, None on creates. `options` are the
    feature gates and validation options that the case sets, `user` has `username` and `groups`.
    """

    id: int
    operation: str
    api_version: str
    kind: str
    subresource: str
    object: dict
    old_object: Optional[dict]
    options: dict = field(default_factory=dict)
    user: dict = field(default_factory=dict)


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field.

    `type` is Kubernetes' name for it, such as `FieldValueInvalid`; `field` the path, such as `spec.ports[2].name`; `origin`
    the check, such as `minimum`. A bad value that is None, or that JSON cannot hold, is left out.
    """

    type: str
    field: str
    detail: str = ""
    bad_value: Any = None
    origin: str = ""
    covered_by_declarative: bool = False
    short_circuit: bool = False
    stability: str = ""


@dataclass(frozen=True)
class Decision:
    """Whether the object may be stored, for oracles that know no field errors."""

    allowed: bool
    reason: str = ""


@dataclass(frozen=True)
class Changed:
    """The object as the oracle changed it."""

    object: dict


# None accepts the object, and so does an empty iterable.
Outcome = Union[None, Iterable[FieldError], Decision, Changed]


@dataclass(frozen=True)
class Answer:
    """An outcome with warnings, which refuse nothing."""

    outcome: Outcome = None
    warnings: Iterable[str] = ()


def serve(
    judge: Callable[[Question], Union[Outcome, Answer]],
    *,
    name: str,
    version: str = "",
    kinds: Iterable[Kind] = (),
    answers: str = "errors",
    origins: bool = False,
    marks: bool = False,
    steady: bool = True,
    batch: int = 64,
    pending: int = 256,
    stdin: Optional[BinaryIO] = None,
    stdout: Optional[BinaryIO] = None,
) -> None:
    """Answer questions until the input ends, then return.

    `judge` returns None or no errors to accept an object, `FieldError`s, a `Decision` or `Changed`; or an `Answer` with one of
    these and warnings. It raises `Failure` if it cannot judge; other exceptions are reported to Takeover as panics, with
    their place. `answers` says what is compared: `errors`, `decision` or `object`. No kinds means any kind.

    Raises SystemExit with a message when a line is no message of the protocol. What the judge prints goes to standard error.
    """
    hello = {
        "protocol": PROTOCOL,
        "name": name,
        "version": version,
        "kinds": [
            {"apiVersion": k.api_version, "kind": k.kind, "subresources": list(k.subresources), "main": k.main} for k in kinds
        ],
        "answers": answers,
        "origins": origins,
        "marks": marks,
        "steady": steady,
        "batch": batch,
        "pending": pending,
    }
    if not hello["kinds"]:
        del hello["kinds"]
    lines = stdin if stdin is not None else sys.stdin.buffer
    out = stdout if stdout is not None else _claim_stdout()
    greeted = False
    number = 0
    try:
        while line := lines.readline(MAX_LINE + 1):
            number += 1
            if line.isspace() and len(line) <= MAX_LINE:
                continue
            questions, greets = _read(line, greeted)
            if greets:
                greeted = True
                _write(out, _encode({"hello": hello}))
            for question in questions:
                _write(out, _answer(judge, question, answers))
    except _ProtocolError as error:
        raise SystemExit(f"{name}: line {number}: {error}") from None
    except BrokenPipeError:
        raise SystemExit(f"{name}: write answers: the pipe is closed") from None


class _ProtocolError(Exception):
    pass


def _claim_stdout() -> BinaryIO:
    """Take standard output away from everybody else: what is printed from now on goes to standard error."""
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out


def _write(out: BinaryIO, line: bytes) -> None:
    out.write(line + b"\n")
    out.flush()


_encode_text = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def _encode(value: Any) -> bytes:
    return _encode_text(value).encode("ascii")


def _read(line: bytes, greeted: bool) -> "tuple[list[dict], bool]":
    """Read a line: its questions, each with an id, and whether it is the hello."""
    if len(line) > MAX_LINE:
        raise _ProtocolError(f"longer than {MAX_LINE >> 20} MiB")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _ProtocolError(f"not a message: {error}") from None
    if not isinstance(message, dict):
        raise _ProtocolError("not a message: not an object")
    hello = message.get("hello")
    if hello is None and not greeted:
        raise _ProtocolError("a question before the hello")
    if hello is not None and greeted:
        raise _ProtocolError("a second hello")
    if hello is not None:
        protocol = hello.get("protocol") if isinstance(hello, dict) else None
        if protocol != PROTOCOL:
            raise _ProtocolError(f"protocol {protocol}, but this oracle speaks {PROTOCOL}")
    questions = message.get("questions")
    if questions is None and "id" in message:
        questions = [message]
    if questions is None and hello is None:
        raise _ProtocolError("not a message: neither `hello`, `id` nor `questions`")
    if not isinstance(questions or [], list):
        raise _ProtocolError("not a message: `questions` is not a list")
    for question in questions or []:
        if not isinstance(question, dict):
            raise _ProtocolError("a question that is not an object")
        if type(question.get("id")) is not int or question["id"] < 1:
            raise _ProtocolError("a question without an `id`")
    return questions or [], hello is not None


def _question(message: dict) -> Question:
    """Read a question. One that no judge could answer fails by itself; the oracle carries on."""
    operation = message.get("operation")
    if operation not in ("create", "update"):
        raise Failure(f"unknown operation `{operation}`")
    if not isinstance(message.get("object"), dict):
        raise Failure("no object")
    old_object = message.get("oldObject")
    if operation == "update" and not isinstance(old_object, dict):
        raise Failure("an update without an old object")
    return Question(
        id=message["id"],
        operation=operation,
        api_version=message.get("apiVersion", ""),
        kind=message.get("kind", ""),
        subresource=message.get("subresource", ""),
        object=message["object"],
        old_object=old_object,
        options=message.get("options") or {},
        user=message.get("user") or {},
    )


def _answer(judge: Callable, asked: dict, answers: str) -> bytes:
    number = asked["id"]
    try:
        question = _question(asked)
        outcome = judge(question)
        answer = outcome if isinstance(outcome, Answer) else Answer(outcome)
        message = {"id": number, **_outcome(answer.outcome, question, answers)}
        if warnings := list(answer.warnings):
            message["warnings"] = warnings
        line = _encode(message)
        if len(line) > MAX_LINE:
            raise Failure("answer: too long")
        return line
    except Failure as failure:
        return _encode({"id": number, "failure": str(failure) or "the oracle did not say why"})
    except Exception as error:
        return _encode({"id": number, "panic": _describe(error)})


def _outcome(outcome: Outcome, question: Question, answers: str) -> dict:
    if isinstance(outcome, Decision):
        said = {"allowed": bool(outcome.allowed)}
        if outcome.reason:
            said["reason"] = outcome.reason
        return said
    if isinstance(outcome, Changed):
        return {"object": outcome.object}
    errors = [_field_error(e) for e in outcome or ()]
    if answers == "object" and not errors:
        return {"object": question.object}
    if answers == "decision":
        return {"errors": errors, "allowed": False} if errors else {"allowed": True}
    return {"errors": errors}


def _field_error(error: FieldError) -> dict:
    said = {"type": error.type, "field": error.field}
    if error.detail:
        said["detail"] = error.detail
    if error.bad_value is not None and _has_json(error.bad_value):
        said["badValue"] = error.bad_value
    if error.origin:
        said["origin"] = error.origin
    if error.covered_by_declarative:
        said["coveredByDeclarative"] = True
    if error.short_circuit:
        said["shortCircuit"] = True
    if error.stability:
        said["stability"] = error.stability
    return said


def _has_json(value: Any) -> bool:
    if isinstance(value, (str, int)):
        return True
    try:
        _encode(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _describe(error: Exception) -> str:
    """Name the exception and its place, without folders, so that it is the same on every machine."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return text
    place = frames[-1]
    return f"{text} at {place.name} ({os.path.basename(place.filename)}:{place.lineno})"
