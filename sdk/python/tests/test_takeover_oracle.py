import io
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from takeover_oracle import Answer, Changed, Decision, Failure, FieldError, Kind, serve  # noqa: E402

GREETING = {"hello": {"protocol": 1, "program": "takeover 0.1.0"}}


def create(number, **members):
    return {"id": number, "operation": "create", "apiVersion": "v1", "kind": "Widget", "object": {"a": 1}, **members}


def served(judge, *lines, **settings):
    """The messages that an oracle says to lines, each JSON or text."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    stdout = io.BytesIO()
    try:
        serve(judge, name="t", stdin=io.BytesIO(text.encode()), stdout=stdout, **settings)
    finally:
        served.said = [json.loads(line) for line in stdout.getvalue().splitlines()]
    return served.said


def accept(question):
    return None


def outcome(value):
    def judge(question):
        if isinstance(value, Exception):
            raise value
        return value

    return judge


class Answers(unittest.TestCase):
    def test_one_question(self):
        invalid = FieldError("FieldValueInvalid", "spec.a", "must be positive", -1, "minimum")
        invalid_json = {
            "type": "FieldValueInvalid",
            "field": "spec.a",
            "detail": "must be positive",
            "badValue": -1,
            "origin": "minimum",
        }
        marked = FieldError("FieldValueTooLong", "a", covered_by_declarative=True, short_circuit=True, stability="beta")
        marked_json = {
            "type": "FieldValueTooLong",
            "field": "a",
            "coveredByDeclarative": True,
            "shortCircuit": True,
            "stability": "beta",
        }
        plain_json = {"type": "FieldValueInvalid", "field": "a"}
        for name, answers, judge, want in [
            ("None accepts", "errors", accept, {"errors": []}),
            ("no errors accept", "errors", outcome([]), {"errors": []}),
            ("None allows", "decision", accept, {"allowed": True}),
            ("None changes nothing", "object", accept, {"object": {"a": 1}}),
            ("field errors", "errors", outcome([invalid, marked]), {"errors": [invalid_json, marked_json]}),
            ("a generator of errors", "errors", lambda q: (e for e in [invalid]), {"errors": [invalid_json]}),
            ("errors and decision", "decision", outcome([invalid]), {"errors": [invalid_json], "allowed": False}),
            ("allowed", "decision", outcome(Decision(True)), {"allowed": True}),
            ("denied", "errors", outcome(Decision(False, "no")), {"allowed": False, "reason": "no"}),
            ("changed", "object", outcome(Changed({"a": 2})), {"object": {"a": 2}}),
            ("warnings", "errors", outcome(Answer([], ["old"])), {"errors": [], "warnings": ["old"]}),
            ("failure", "errors", outcome(Failure("no schema")), {"failure": "no schema"}),
            ("failure without a text", "errors", outcome(Failure()), {"failure": "the oracle did not say why"}),
            ("value without JSON", "errors", outcome([FieldError("FieldValueInvalid", "a", "", {1})]), {"errors": [plain_json]}),
            (
                "not a number",
                "errors",
                outcome([FieldError("FieldValueInvalid", "a", "", float("nan"))]),
                {"errors": [plain_json]},
            ),
        ]:
            with self.subTest(name):
                self.assertEqual(served(judge, GREETING, create(7), answers=answers)[1:], [{"id": 7, **want}])

    def test_exceptions_are_panics_with_their_place_without_folders(self):
        panic = served(lambda question: question.object["b"], GREETING, create(7))[1]["panic"]
        self.assertRegex(panic, r"^KeyError: 'b' at <lambda> \(test_takeover_oracle\.py:\d+\)$")

    def test_exceptions_of_generators_are_panics(self):
        self.assertIn("ZeroDivisionError", served(lambda q: (1 / 0 for _ in "x"), GREETING, create(7))[1]["panic"])

    def test_an_object_without_json_is_a_panic(self):
        self.assertIn("TypeError", served(outcome(Changed({"a": {1}})), GREETING, create(7))[1]["panic"])

    def test_a_panic_does_not_end_the_process(self):
        said = served(lambda q: 1 / 0 if q.id == 1 else None, GREETING, create(1), create(2))
        self.assertEqual(said[2], {"id": 2, "errors": []})


class Hello(unittest.TestCase):
    DEFAULTS = {
        "protocol": 1,
        "name": "t",
        "version": "",
        "answers": "errors",
        "origins": False,
        "marks": False,
        "steady": True,
        "batch": 64,
        "pending": 256,
    }

    def test_defaults(self):
        self.assertEqual(served(accept, GREETING), [{"hello": self.DEFAULTS}])

    def test_everything(self):
        settings = dict(version="1", answers="decision", origins=True, marks=True, steady=False, batch=2, pending=3)
        kinds = [{"apiVersion": "v1", "kind": "B", "subresources": ["status"], "main": False}]
        said = served(accept, GREETING, kinds=[Kind("v1", "B", ["status"], False)], **settings)
        self.assertEqual(said, [{"hello": {**self.DEFAULTS, **settings, "kinds": kinds}}])


class Questions(unittest.TestCase):
    def test_lines(self):
        batch = {"questions": [create(1), create(2)]}
        for name, lines, want in [
            ("nothing", [], 0),
            ("a batch", [batch], 2),
            ("a batch and a question", [batch, create(3)], 3),
            ("an empty batch", [{"questions": []}], 0),
            ("unknown members", [create(1, later=[{}])], 1),
            ("blank lines", ["", create(1), " \t\r"], 1),
            ("no line end", [create(1, object={"x": "a\nb\u2028"})], 1),
        ]:
            with self.subTest(name):
                said = served(accept, GREETING, *lines)
                self.assertEqual(said[1:], [{"id": i, "errors": []} for i in range(1, want + 1)])

    def test_one_that_nobody_could_judge_fails_by_itself(self):
        for name, question, why in [
            ("no object", create(1, object=None), "no object"),
            ("a text as object", create(1, object="x"), "no object"),
            ("update without old object", create(1, operation="update"), "an update without an old object"),
            ("unknown operation", create(1, operation="delete"), "unknown operation `delete`"),
        ]:
            with self.subTest(name):
                said = served(accept, GREETING, question, create(2))
                self.assertEqual(said[1:], [{"id": 1, "failure": why}, {"id": 2, "errors": []}])

    def test_a_question_has_all_members(self):
        asked = []
        members = {
            "operation": "update",
            "subresource": "status",
            "oldObject": {"a": 0},
            "options": {"SomeGate": True},
            "user": {"username": "u", "groups": ["g"]},
        }
        served(asked.append, GREETING, create(7, **members))
        question = asked[0]
        self.assertEqual((question.id, question.operation, question.subresource), (7, "update", "status"))
        self.assertEqual((question.api_version, question.kind), ("v1", "Widget"))
        self.assertEqual((question.object, question.old_object), ({"a": 1}, {"a": 0}))
        self.assertEqual((question.options, question.user), (members["options"], members["user"]))

    def test_what_is_left_out_is_empty(self):
        asked = []
        served(asked.append, GREETING, create(1))
        question = asked[0]
        self.assertEqual((question.old_object, question.subresource, question.options, question.user), (None, "", {}, {}))


class InvalidLines(unittest.TestCase):
    def test_they_end_the_oracle(self):
        for name, lines, want in [
            ("not JSON", [GREETING, "nonsense"], "line 2: not a message: "),
            ("cut off", [GREETING, '{"id":1,'], "line 2: not a message: "),
            ("not an object", [GREETING, "[]"], "line 2: not a message: not an object"),
            ("another message", [GREETING, {"answers": []}], "line 2: not a message: neither"),
            ("batch without ids", [GREETING, {"questions": [{}]}], "line 2: a question without an `id`"),
            ("negative id", [GREETING, create(-1)], "line 2: a question without an `id`"),
            ("no hello", [create(1)], "line 1: a question before the hello"),
            ("two hellos", [GREETING, GREETING], "line 2: a second hello"),
            ("another protocol", [{"hello": {"protocol": 2}}], "line 1: protocol 2, but this oracle speaks 1"),
        ]:
            with self.subTest(name), self.assertRaises(SystemExit) as ended:
                served(accept, *lines)
            self.assertTrue(str(ended.exception).startswith("t: " + want), ended.exception)

    def test_not_utf8(self):
        with self.assertRaisesRegex(SystemExit, "line 1: not a message"):
            serve(accept, name="t", stdin=io.BytesIO(b'{"hello":"\xff"}\n'), stdout=io.BytesIO())

    def test_too_long(self):
        with self.assertRaisesRegex(SystemExit, "line 1: longer than 64 MiB"):
            serve(accept, name="t", stdin=io.BytesIO(b" " * ((64 << 20) + 1)), stdout=io.BytesIO())

    def test_questions_before_are_answered(self):
        with self.assertRaises(SystemExit):
            served(accept, GREETING, create(1), "x")
        self.assertEqual(served.said[1], {"id": 1, "errors": []})


class Process(unittest.TestCase):
    PROGRAM = """
import os
from takeover_oracle import serve

def judge(question):
    print("a debugging line", flush=True)
    os.system("echo a program")

serve(judge, name="widgets")
"""

    def start(self):
        environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", self.PROGRAM], env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def run_with(self, *lines):
        with self.start() as process:
            out, err = process.communicate("".join(line + "\n" for line in lines))
        return process.returncode, [json.loads(line) for line in out.splitlines()], err

    def test_the_end_of_the_input_ends_it(self):
        code, said, err = self.run_with(json.dumps(GREETING), json.dumps(create(1)))
        self.assertEqual((code, said[1]), (0, {"id": 1, "errors": []}), err)

    def test_what_the_judge_prints_is_no_answer(self):
        _, said, err = self.run_with(json.dumps(GREETING), json.dumps(create(1)))
        self.assertEqual((len(said), err), (2, "a debugging line\na program\n"))

    def test_an_invalid_line_ends_it_with_a_message(self):
        code, _, err = self.run_with(json.dumps(GREETING), "x")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"^widgets: line 2: not a message: .*\n$")

    def test_answers_come_before_the_input_ends(self):
        with self.start() as process:
            for line in (GREETING, create(1), create(2)):
                process.stdin.write(json.dumps(line) + "\n")
                process.stdin.flush()
                self.assertTrue(process.stdout.readline())
            process.stdin.close()
            self.assertEqual(process.wait(), 0)


if __name__ == "__main__":
    unittest.main()
