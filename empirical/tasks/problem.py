"""A problem: a question with a reference answer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A question with a verifiable answer.

    Attributes:
        id: names the problem within its task.
        question: the text for a language model.
        answer: the reference answer, bare (no marker, no worked solution).
        terse: the same question as a bare expression such as `3+4=`, for a model without words; empty where the
            question has no such form.
    """

    id: str
    question: str
    answer: str
    terse: str = ""
