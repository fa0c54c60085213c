"""The sweep on a local Dask cluster: a worker is killed in the middle, no finished cell is lost, and it completes."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("joblib", reason="needs joblib: pip install -c constraints.txt -e '.[empirical]'")
distributed = pytest.importorskip(
    "distributed", reason="needs a Dask cluster: pip install -c constraints.txt -e '.[cluster]'"
)

from empirical.errors import InputError  # noqa: E402
from empirical.sweep import runner, store  # noqa: E402
from empirical.sweep.cell import Cell  # noqa: E402

pytestmark = [pytest.mark.infrastructure, pytest.mark.filterwarnings("ignore")]  # Dask's own, at shutdown

FOLDER = "SWEEP_TEST_FOLDER"  # the workers inherit it
DEADLY = 3  # the seed whose first attempt kills its worker


def work(cell: Cell) -> dict[str, Any]:
    """Leave a mark for every attempt; the first one at `DEADLY` kills its own process, as the system would."""
    folder = Path(os.environ[FOLDER])
    attempts = len(list(folder.glob(f"{cell.seed}-*")))
    (folder / f"{cell.seed}-{attempts}-{os.getpid()}").touch()
    if cell.seed == DEADLY and not attempts:
        time.sleep(0.5)  # the other worker goes on finishing cells
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return {"p": [0.3 + 0.01 * k for k in range(9)], "seconds": 0.1, "pid": os.getpid()}


def test_a_killed_worker_loses_no_finished_cell_and_the_sweep_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks, sweep = tmp_path / "marks", tmp_path / "sweep"
    marks.mkdir()
    monkeypatch.setenv(FOLDER, str(marks))
    cells = [Cell("x", seed=k) for k in range(12)]
    finished: list[int] = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        count = runner.run(
            cells, sweep, work, cluster=cluster.scheduler_address, done=lambda cell, k, of: finished.append(cell.seed)
        )
        # a second call has nothing to do, killed worker or not
        assert runner.run(cells, sweep, work, cluster=cluster.scheduler_address) == 0
    assert count == len(cells)
    assert sorted(finished) == list(range(12))
    results = store.load(sweep, cells)
    assert [r.cell.seed for r in results] == list(range(12))
    attempts = {k: sorted(p.name for p in marks.glob(f"{k}-*")) for k in range(12)}
    assert len(attempts[DEADLY]) > 1, "the worker was not killed"
    killed = attempts[DEADLY][0].rsplit("-", 1)[1]
    (kept,) = (r for r in results if r.cell.seed == DEADLY)
    assert str(kept.values["pid"]) != killed


def test_a_cluster_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no answer"):
        runner.run([Cell("x")], tmp_path, work, cluster="tcp://127.0.0.1:9")
