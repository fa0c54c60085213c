"""Final answers, verdicts, and the clock that stops a comparison."""

import importlib.util
import sys
import threading
from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirical.answers import final_answer, plain_number
from empirical.rewards import Arm, Reward
from empirical.verifier import Verdict, Verifier

pytestmark = pytest.mark.infrastructure

needs_math_verify = pytest.mark.skipif(importlib.util.find_spec("math_verify") is None, reason="needs math-verify")


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("She makes 9 * 2 = $18.\n#### 18", "18"),
        ("#### 1,234", "1,234"),
        ("#### 3\nno, wait\n#### 4", "4"),
        (r"so \boxed{\frac{1}{2}} it is", r"\frac{1}{2}"),
        (r"#### 3 and then \boxed{4}", "4"),
        (r"\boxed{4} then #### 3", "3"),
        (r"#### \boxed{5}", "5"),
        (r"\boxed{5", "5"),  # never closed: no box, so the last number
        ("about 12 or 1,500.", "1,500"),
        ("", None),
        ("I do not know", None),
        ("####", None),
    ],
)
def test_where_the_answer_is(completion: str, answer: str | None) -> None:
    assert final_answer(completion) == answer


def test_strict_wants_a_marker() -> None:
    assert final_answer("it is 7", strict=True) is None
    assert final_answer("#### 7", strict=True) == "7"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234", 1234),
        ("$18", 18),
        ("-$3.50", Fraction(-7, 2)),
        ("25%", 25),
        ("18.", 18),
        ("3/4", Fraction(3, 4)),
        (".5", Fraction(1, 2)),
        ("12,34", None),
        ("1/0", None),
        ("x", None),
        ("", None),
        ("-", None),
        ("1e5", None),
    ],
)
def test_plain_numbers_are_exact(text: str, value: Fraction | None) -> None:
    assert plain_number(text) == value


@given(st.integers(-(10**12), 10**12))
def test_thousands_commas_change_nothing(number: int) -> None:
    verifier = Verifier(command=("false",))  # plain numbers need no worker
    assert verifier.judge(f"so #### {number:,}", f"#### {number}") is Verdict.CORRECT
    assert verifier.judge(f"{number + 1:,}", f"{number}") is Verdict.WRONG


@needs_math_verify
@pytest.mark.parametrize(
    ("completion", "gold", "verdict"),
    [
        (r"\boxed{\frac{1}{2}}", "0.5", Verdict.CORRECT),
        (r"\boxed{\frac{1}{2}}", r"\frac{2}{4}", Verdict.CORRECT),
        (r"\boxed{x^2+2x+1}", r"(x+1)^2", Verdict.CORRECT),
        (r"\boxed{\left(3, \frac{\pi}{2}\right)}", r"\left( 3, \frac{\pi}{2} \right)", Verdict.CORRECT),
        (r"\boxed{\sqrt{2}}", r"\sqrt{3}", Verdict.WRONG),
        ("no idea", r"\sqrt{3}", Verdict.UNPARSEABLE),
    ],
)
def test_expressions_are_compared_by_math_verify(completion: str, gold: str, verdict: Verdict) -> None:
    with Verifier(seconds=60.0) as verifier:
        assert verifier.judge(completion, gold) is verdict


@needs_math_verify
def test_off_the_main_thread_it_gives_the_same_verdict() -> None:
    seen: list[Verdict] = []
    with Verifier(seconds=60.0) as verifier:
        thread = threading.Thread(target=lambda: seen.append(verifier.judge(r"\boxed{\frac{1}{2}}", "0.5")))
        thread.start()
        thread.join()
    assert seen == [Verdict.CORRECT]


def script(body: str) -> tuple[str, ...]:
    """A worker in place of the real one."""
    return (sys.executable, "-u", "-c", f"import sys, time\nprint('\"ready\"')\nfor line in sys.stdin:\n    {body}")


def test_a_comparison_that_does_not_end_is_undecided_and_the_next_one_works() -> None:
    body = "time.sleep(600 if 'slow' in line else 0); print('true')"
    with Verifier(seconds=3.0, command=script(body)) as verifier:
        assert verifier.judge(r"\boxed{slow}", "x") is Verdict.UNDECIDED
        assert verifier.judge(r"\boxed{quick}", "x") is Verdict.CORRECT
        assert verifier.counts == {Verdict.UNDECIDED: 1, Verdict.CORRECT: 1}


def test_a_worker_that_dies_is_undecided_and_replaced() -> None:
    body = "sys.exit(1) if 'bomb' in line else print('false')"
    with Verifier(seconds=30.0, command=script(body)) as verifier:
        assert verifier.judge(r"\boxed{bomb}", "x") is Verdict.UNDECIDED
        assert verifier.judge(r"\boxed{y}", "x") is Verdict.WRONG


def test_a_worker_that_cannot_start_says_what_to_try() -> None:
    with pytest.raises(RuntimeError, match="math-verify installed"):
        Verifier(command=(sys.executable, "-c", "")).judge(r"\boxed{y}", "x")


def test_the_reward_is_one_for_the_right_answer_alone() -> None:
    reward = Reward()
    assert reward.score(["#### 3", "#### 4", "what?"], ["3", "3", "3"]) == [1.0, 0.0, 0.0]
    assert reward.last == [Verdict.CORRECT, Verdict.WRONG, Verdict.UNPARSEABLE]
    with pytest.raises(ValueError, match="golds has 1"):
        reward.score(["a", "b"], ["1"])


def test_the_control_rewards_its_mark() -> None:
    assert Reward(Arm.CONTROL).score(["17", "18"], ["0", "0"]) == [1.0, 0.0]


def test_the_placebo_does_not_read_the_completion() -> None:
    one, other = Reward(Arm.PLACEBO, seed=3), Reward(Arm.PLACEBO, seed=3)
    assert one.score(["#### 1"] * 50, ["1"] * 50, call=8) == other.score(["no"] * 50, ["1"] * 50, call=8)
    assert one.score(["a"] * 50, ["1"] * 50, call=9) != one.score(["a"] * 50, ["1"] * 50, call=8)


def test_the_placebos_coin_is_fair() -> None:
    """Two-sided z test at alpha = 1e-3 on 10^4 coins of a fixed seed; power 0.999 against p = 0.532."""
    n = 10_000
    heads = sum(sum(Reward(Arm.PLACEBO, seed=1).score([""] * 100, ["1"] * 100, call=c)) for c in range(n // 100))
    assert abs(heads - n / 2) < 3.2905 * sqrt(n) / 2
