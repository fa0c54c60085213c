"""TensorBoard event files: TFRecords of protocol buffers, of which the scalars (and the trainer's arguments) are read.

A record is length (8 bytes), masked CRC-32C of it (4), payload, masked CRC-32C of the payload (4); see
https://www.tensorflow.org/tutorials/load_data/tfrecord. The message types are Event and Summary of TensorFlow's
event.proto and summary.proto.
"""

import json
import struct
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirical.logs.note import Note
from empirical.logs.raw import Raw, Rows
from empirical.logs.reader import Reader
from empirical.logs.source import Source

LARGEST = 1 << 16  # bytes of an event that may hold scalars; pictures and histograms are larger
_FLOAT, _DOUBLE, _STRING = 1, 2, 7  # tensor element types
_KEPT = (
    "learning_rate",
    "num_generations",
    "beta",
    "epsilon",
    "num_iterations",
    "steps_per_generation",
    "max_steps",
    "gradient_accumulation_steps",
    "per_device_train_batch_size",
    "logging_steps",
    "eval_steps",
    "adam_beta1",
    "lr_scheduler_type",
    "loss_type",
    "scale_rewards",
    "temperature",
    "max_grad_norm",
    "max_completion_length",
)


def _table() -> NDArray[np.uint32]:
    """The 256 remainders of CRC-32C (Castagnoli's polynomial, reflected: 0x82f63b78)."""
    out = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        out = np.where(out & 1, (out >> np.uint32(1)) ^ np.uint32(0x82F63B78), out >> np.uint32(1))
    return out


_CRC = _table()


def masked_crc(messages: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The masked CRC-32C of each row of bytes, shape (n, length) -> (n,)."""
    crc = np.full(messages.shape[0], 0xFFFFFFFF, dtype=np.uint32)
    for k in range(messages.shape[1]):
        crc = _CRC[(crc ^ messages[:, k]) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
    crc = ~crc
    return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)


def matches(source: Source) -> bool:
    """The first twelve bytes are a length and its checksum."""
    head = np.frombuffer(source.data[:12], dtype=np.uint8)
    return head.size == 12 and int(masked_crc(head[None, :8])[0]) == struct.unpack("<I", source.data[8:12])[0]


def records(data: bytes) -> tuple[list[tuple[int, int]], int]:
    """Start and length of each payload, and the offset at which the sound part of the file ends."""
    places, at = [], 0
    while at + 12 <= len(data):
        length = struct.unpack_from("<Q", data, at)[0]
        if length > len(data) - at - 16:
            break
        places.append((at + 12, length))
        at += 16 + length
    return places, at


def sound(data: bytes, places: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Which payloads, and which lengths, agree with their checksums; records of one length are checked together."""
    good = np.zeros(len(places), dtype=bool)
    whole = np.frombuffer(data, dtype=np.uint8)
    groups: dict[int, list[int]] = defaultdict(list)
    for i, (_, length) in enumerate(places):
        groups[min(length, LARGEST + 1)].append(i)
    for length, members in groups.items():
        which = np.array(members)
        starts = np.array([places[i][0] for i in members])
        head = masked_crc(whole[(starts - 12)[:, None] + np.arange(8)])
        fine = head == _words(whole, starts - 4)
        if length <= LARGEST:
            fine &= masked_crc(whole[starts[:, None] + np.arange(length)]) == _words(whole, starts + length)
        good[which] = fine
    return good


def _words(whole: NDArray[np.uint8], at: NDArray[np.int64]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(whole[at[:, None] + np.arange(4)]).view("<u4")[:, 0]


def read(source: Source) -> Raw:
    """The scalars, one row a step.

    Raises:
        InputError: no sound record, or no scalar.
    """
    data = source.data
    places, end = records(data)
    good = sound(data, places) if places else np.zeros(0, dtype=bool)
    bad = int(np.argmin(good)) if not good.all() else None
    if bad is not None and (good[bad + 1 :].sum() == 0 or not good.any()):
        places, good = places[:bad], good[:bad]
    tags: dict[str, list[tuple[int, float, int]]] = defaultdict(list)
    settings: dict[str, Any] = {}
    other = 0
    for i, (start, length) in enumerate(places):
        if not good[i] or length > LARGEST:
            other += int(bool(good[i]))
            continue
        try:
            other += _event(memoryview(data)[start : start + length], i + 1, tags, settings)
        except (ValueError, IndexError, struct.error, RecursionError):
            good[i] = False
    if not tags:
        raise source.refuse(
            "a TensorBoard file without scalars", "events with scalars", "give the run's other event files"
        )
    raw = _pivot(tags)
    raw.settings.update(settings)
    damaged = int((~good).sum())
    if damaged:
        raw.notes.append(Note("dropped", f"{damaged} records whose checksum or content is wrong"))
    if bad is not None and len(places) == bad:
        raw.notes.append(Note("repaired", f"record {bad + 1} is damaged and nothing after it can be read"))
    elif end < len(data):
        raw.notes.append(
            Note("repaired", f"the file breaks off after record {len(places)}: {len(data) - end} bytes are left over")
        )
    if other:
        raw.notes.append(Note("dropped", f"{other} records or values that are no scalars (text, pictures, histograms)"))
    return raw


def _pivot(tags: dict[str, list[tuple[int, float, int]]]) -> Raw:
    """One row a step and pass: a step that goes back (a resumed run) starts a new pass."""
    passes: dict[str, list[int]] = {}
    keys: dict[tuple[int, int], int] = {}
    for tag, values in tags.items():
        now, last, out = 0, None, []
        for step, _, _ in values:
            if last is not None and step < last:
                now += 1
            out.append(now)
            last = step
        passes[tag] = out
        for (step, _, record), turn in zip(values, out, strict=True):
            keys.setdefault((turn, step), record)
    order = {key: i for i, key in enumerate(sorted(keys))}
    columns = {tag: np.full(len(order), np.nan) for tag in tags}
    for tag, values in tags.items():
        for (step, value, _), turn in zip(values, passes[tag], strict=True):
            columns[tag][order[turn, step]] = value
    columns["step"] = np.array([step for _, step in order], dtype=np.float64)
    table = Rows()
    table.add_arrays(columns, [keys[key] for key in order])
    return table.raw("TensorBoard events")


def _event(
    message: memoryview, record: int, tags: dict[str, list[tuple[int, float, int]]], settings: dict[str, Any]
) -> int:
    """Add the scalars of one event; return how many values were none."""
    step, summaries = 0, []
    for number, value in _fields(message):
        if number == 2 and isinstance(value, int):
            step = value - (1 << 64) if value >= 1 << 63 else value
        elif number == 5 and isinstance(value, memoryview):
            summaries.append(value)
    other = 0
    for summary in summaries:
        for number, value in _fields(summary):
            if number != 1 or not isinstance(value, memoryview):
                continue
            tag, scalar, text = _value(value)
            if scalar is not None:
                tags[tag].append((step, scalar, record))
            elif text is not None and tag.startswith("args"):
                settings.update(_arguments(text))
            else:
                other += 1
    return other


def _value(message: memoryview) -> tuple[str, float | None, str | None]:
    tag, scalar, text = "", None, None
    for number, value in _fields(message):
        if number == 1 and isinstance(value, memoryview):
            tag = bytes(value).decode("utf-8", errors="replace")
        elif number == 2 and isinstance(value, float):
            scalar = value
        elif number == 8 and isinstance(value, memoryview):
            scalar, text = _tensor(value)
    return tag, scalar, text


def _tensor(message: memoryview) -> tuple[float | None, str | None]:
    kind, numbers, text = 0, [], None
    for number, value in _fields(message):
        if number == 1 and isinstance(value, int):
            kind = value
        elif number in (4, 5, 6) and isinstance(value, memoryview):  # tensor_content, packed float_val, double_val
            double = number == 6 or (number == 4 and kind == _DOUBLE)
            size = 8 if double else 4
            if len(value) % size == 0 and kind in (_FLOAT, _DOUBLE):
                numbers += list(struct.unpack(f"<{len(value) // size}{'d' if double else 'f'}", value))
        elif number in (5, 6) and isinstance(value, float):
            numbers.append(value)
        elif number == 8 and isinstance(value, memoryview) and kind == _STRING:
            text = bytes(value).decode("utf-8", errors="replace")
    return (numbers[0] if len(numbers) == 1 else None), text


def _fields(message: memoryview) -> Iterator[tuple[int, int | float | memoryview]]:
    """Number and value of each field: an int for varints, a float for 32 and 64 fixed bits, else the bytes.

    Raises:
        ValueError, IndexError, struct.error: the bytes are no message.
    """
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield number, value
        elif kind == 1:
            yield number, struct.unpack_from("<d", message, at)[0]
            at += 8
        elif kind == 5:
            yield number, struct.unpack_from("<f", message, at)[0]
            at += 4
        elif kind == 2:
            length, at = _varint(message, at)
            if at + length > len(message):
                raise ValueError("a field longer than its message")
            yield number, message[at : at + length]
            at += length
        else:
            raise ValueError(f"wire type {kind}")


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def _arguments(text: str) -> dict[str, Any]:
    """The trainer's arguments that bear on the dynamics, from the JSON text that transformers logs at the start."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return (
        {k: found[k] for k in _KEPT if k in found and isinstance(found[k], (int, float, str))}
        if isinstance(found, dict)
        else {}
    )


READER = Reader("TensorBoard events", matches, read)
