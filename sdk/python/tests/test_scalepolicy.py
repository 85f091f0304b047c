"""The example's answers, with and without its mistakes, are those of the data that it shares with the Go example."""

import io
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "examples")]

import scalepolicy  # noqa: E402
import scalepolicy_mistakes  # noqa: E402
import takeover_oracle  # noqa: E402

DATA = HERE.parent.parent / "testdata" / "scalepolicy.jsonl"


def answers(check, rows):
    questions = [{"id": i, **row["question"]} for i, row in enumerate(rows, 1)]
    lines = [{"hello": {"protocol": 1}}, {"questions": questions}]
    stdin = io.BytesIO("".join(json.dumps(line) + "\n" for line in lines).encode())
    stdout = io.BytesIO()
    takeover_oracle.serve(scalepolicy.judge_with(check), name="test", stdin=stdin, stdout=stdout)
    for line in stdout.getvalue().splitlines()[1:]:
        answer = json.loads(line)
        del answer["id"]
        if "failure" in answer:
            answer["failure"] = "*"  # in the data, any failure
        yield answer


class SharedData(unittest.TestCase):
    def test_answers_are_those_of_the_shared_data(self):
        rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
        for number in range(len(scalepolicy_mistakes.MISTAKES) + 1):
            check = scalepolicy_mistakes.with_mistake(number, scalepolicy.validate)
            key = str(number)
            for row, got in zip(rows, answers(check, rows)):
                with self.subTest(row["name"], mistake=number):
                    self.assertEqual(got, row.get("mistakes", {}).get(key, row["answer"]))
            self.assertTrue(number == 0 or any(key in row.get("mistakes", {}) for row in rows), f"mistake {key} is not shown")

    def test_unknown_mistakes_are_refused(self):
        for number in (-1, len(scalepolicy_mistakes.MISTAKES) + 1):
            with self.assertRaises(ValueError):
                scalepolicy_mistakes.with_mistake(number, scalepolicy.validate)


if __name__ == "__main__":
    unittest.main()
