"""The process behind `empirical.verifier`: answers one question a line, until its input ends.

A question is a JSON array [gold, answer]; the reply is `true`, `false`, or `null` where math-verify finds no
mathematical expression in the answer. Its own timeouts (signals) are off: the parent's clock decides.
"""

import json
import logging
import sys


def decide(gold: str, answer: str) -> bool | None:
    """Whether two answers are equal by math-verify; None where the answer is no expression."""
    from math_verify import parse, verify

    def read(text: str) -> list[object]:
        found = parse(f"${text}$", parsing_timeout=None)
        return list(found) or list(parse(text, parsing_timeout=None))

    candidate = read(answer)
    if not candidate:
        return None
    return bool(verify(read(gold), candidate, timeout_seconds=None))


def main() -> None:
    """Serve questions from stdin."""
    logging.disable(logging.CRITICAL)
    decide("1", "1")  # the imports are paid before the first clock starts
    print('"ready"', flush=True)
    for line in sys.stdin:
        gold, answer = json.loads(line)
        try:
            verdict = decide(gold, answer)
        except Exception:  # a parser that stumbles over a completion has not understood it
            verdict = None
        print(json.dumps(verdict), flush=True)


if __name__ == "__main__":
    main()
