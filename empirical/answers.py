"""Final answers: where a completion states its answer, and whether two plain numbers are the same."""

import re
from fractions import Fraction

MARKER = re.compile(r"####[ \t]*([^\n]*)")
NUMBER = re.compile(r"(?<![\w.])[-+]?\$?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?")
PLAIN = re.compile(r"([-+]?)(\d{1,3}(?:,\d{3})+|\d+)?(\.\d+)?(?:/(\d+))?")


def boxed(text: str) -> tuple[int, str] | None:
    r"""The last complete `\boxed{...}` (or `\fbox{...}`) of a text: where it starts, and what is inside.

    Braces are balanced, so `\boxed{\frac{1}{2}}` gives `\frac{1}{2}`; an opening without its end is none.
    """
    found = None
    for match in re.finditer(r"\\f?boxed\s*\{", text):
        depth = 1
        for place in range(match.end(), len(text)):
            depth += {"{": 1, "}": -1}.get(text[place], 0) if text[place - 1] != "\\" else 0
            if depth == 0:
                found = (match.start(), text[match.end() : place].strip())
                break
    return found


def final_answer(completion: str, *, strict: bool = False) -> str | None:
    r"""The answer that a completion states: the last of `#### x` (GSM8K's convention) and `\boxed{x}`.

    Args:
        completion: the text.
        strict: where neither marker occurs, `strict` finds no answer; else the last number of the text is it.

    Returns:
        The answer as it stands there, or None where there is none. An empty marker states no answer.
    """
    stated = [(match.start(), match.group(1).strip()) for match in MARKER.finditer(completion)]
    box = boxed(completion)
    if box is not None:
        stated.append(box)
    if stated:
        answer = max(stated)[1]
        inner = boxed(answer)  # "#### \boxed{5}"
        return (inner[1] if inner else answer) or None
    if strict:
        return None
    numbers = [match.group() for match in NUMBER.finditer(completion)]
    return numbers[-1] if numbers else None


def plain_number(text: str) -> Fraction | None:
    r"""A number spelled with digits, thousands commas, a decimal point, a slash, `$` before or `%` behind.

    A percent sign is a unit here, as in GSM8K, where "25%" answers "25".

    Returns:
        Its exact value, or None for everything else.
    """
    text = text.strip().strip("$").strip().removesuffix("\\%").removesuffix("%").rstrip(".").strip()
    text = text.replace("−", "-")
    if text[:2] in ("-$", "+$"):
        text = text[0] + text[2:]
    match = PLAIN.fullmatch(text)
    if not match or not (match.group(2) or match.group(3)):
        return None
    whole, decimals, below = (match.group(2) or "0").replace(",", ""), match.group(3) or "", match.group(4)
    if below is not None and int(below) == 0:
        return None
    value = Fraction(whole + decimals) / Fraction(below or 1)
    return -value if match.group(1) == "-" else value
