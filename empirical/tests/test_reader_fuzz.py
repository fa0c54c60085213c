"""Readers never crash: on any bytes, on damaged files of every format, and on every file cut off anywhere."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from empirical.errors import InputError
from empirical.logs import read
from empirical.logs.registry import READERS
from empirical.logs.source import Source
from empirical.tests.runs import FORMATS, trl_rows

pytestmark = pytest.mark.infrastructure

STEP = 1000  # bytes between two cuts
WHOLE = {
    name: content.encode() if isinstance(content := make(trl_rows(steps=12, every=4)), str) else content
    for name, make in FORMATS.items()
}


def survive(path: Path, data: bytes) -> None:
    """Read it, or refuse it with an InputError that says something."""
    path.write_bytes(data)
    error = None
    try:
        log = read(path)
    except InputError as caught:
        error = caught
    if error is not None:
        assert error.found
        assert error.expected
        assert error.todo
        assert str(error).count("\n") == 1
    else:
        assert log.rows > 0
        assert log.table["step"].is_monotonic_increasing


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("name", FORMATS)
def test_cut_off_anywhere(name: str, place: Path) -> None:
    data = WHOLE[name]
    for end in [*range(1, min(40, len(data))), *range(0, len(data), STEP), *range(7, len(data), STEP // 3)]:
        survive(place / name, data[:end])


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_anywhere(name: str, data: st.DataObject, place: Path) -> None:
    whole = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(whole) - 1))
        patch = data.draw(
            st.one_of(st.binary(max_size=8), st.sampled_from([b"nan", b"{", b"[[", b'"', b"\n", b"1e999", b"-", b"\0"]))
        )
        whole[at : at + data.draw(st.integers(0, 12))] = patch
        if not whole:
            break
    survive(place / name, bytes(whole))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=400), name=st.sampled_from(sorted(FORMATS)))
def test_any_bytes(data: bytes, name: str, place: Path) -> None:
    survive(place / name, data)


_WORDS = "step reward loss { } [ ] \" ' : , | --- <table> <tr> <td> = 0.5 nan 1e999 -1 null None log_history"
PIECES = st.sampled_from(
    [*_WORDS.split(), "\n", "\r", "\t", " - ", "step:1 - ", "critic/score/mean:", "[Step 3/9]", "\x1b[0m", "é"]
)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@settings(max_examples=40)
@given(text=st.lists(PIECES, max_size=60).map("".join))
def test_each_reader_alone(reader: object, text: str) -> None:
    from empirical.logs.reader import Reader

    assert isinstance(reader, Reader)
    source = Source(Path("log.txt"), text.encode())
    reader.matches(source)
    try:
        raw = reader.read(source)
    except InputError:
        return
    assert all(values.size == raw.size for values in raw.columns.values())
