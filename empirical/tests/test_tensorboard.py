"""TensorBoard: the checksum against its published value, and damaged records."""

from pathlib import Path

import numpy as np
import pytest

from empirical.errors import InputError
from empirical.logs import read
from empirical.logs.readers.tensorboard import masked_crc
from empirical.tests.runs import tfevents, trl_rows

pytestmark = pytest.mark.infrastructure


def test_crc_of_the_standard_s_check_string() -> None:
    """CRC-32C of "123456789" is 0xe3069283 (RFC 3720); masked: rotated right by 15, plus 0xa282ead8."""
    message = np.frombuffer(b"123456789", dtype=np.uint8)[None]
    value = 0xE3069283
    assert int(masked_crc(message)[0]) == ((value >> 15 | value << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF


def test_a_record_with_a_wrong_checksum_is_dropped(tmp_path: Path) -> None:
    data = bytearray(tfevents(trl_rows()))
    data[len(data) // 2] ^= 1
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(data)
    log = read(path)
    assert any("checksum" in note.text or "damaged" in note.text for note in log.notes)


def test_a_file_without_scalars_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(tfevents([]))
    with pytest.raises(InputError, match="without scalars"):
        read(path)
