"""The runner: cells spread over workers by joblib, each saved as soon as it is finished, none run twice."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from empirical.errors import InputError
from empirical.sweep.cell import Cell
from empirical.sweep.store import path_of, save

Work = Callable[[Cell], dict[str, Any]]


@contextmanager
def backend(cluster: str | None) -> Iterator[None]:
    """Where joblib runs: the cores of this machine, or an existing cluster.

    Args:
        cluster: None; the address of a Dask scheduler, "tcp://host:8786"; or of a Ray cluster, "ray://host:10001".

    Raises:
        InputError: the package of the cluster is missing, or the cluster does not answer.
    """
    from joblib import parallel_config

    if cluster is None:
        with parallel_config(backend="loky"):
            yield
        return
    ray = cluster.startswith("ray://")
    package, extra = ("ray", "ray") if ray else ("distributed", "predictable-grpo[cluster]")
    try:
        if ray:
            import ray as ray_
            from ray.util.joblib import register_ray

            ray_.init(address=cluster)
            register_ray()
            client = None
        else:
            from distributed import Client

            client = Client(cluster, timeout=10, set_as_default=True)
    except ImportError:
        raise InputError(
            "--cluster",
            found=f"no package {package}",
            expected="it",
            todo=f"pip install {extra}, or leave out --cluster",
        ) from None
    except (OSError, ConnectionError, ValueError) as error:
        raise InputError(
            f"--cluster {cluster}", found=f"no answer ({error})", expected="the address of a running scheduler",
            todo="start it, or leave out --cluster to use this machine's cores",
        ) from None  # fmt: skip
    try:
        with parallel_config(backend="ray" if ray else "dask"):
            yield
    finally:
        if client is not None:
            client.close()


def missing(cells: Sequence[Cell], folder: Path) -> list[Cell]:
    """The cells that have no result yet, each once, in their order."""
    return [cell for cell in dict.fromkeys(cells) if not path_of(folder, cell).exists()]


def run(
    cells: Sequence[Cell],
    folder: Path,
    work: Work,
    *,
    jobs: int = 2,
    cluster: str | None = None,
    done: Callable[[Cell, int, int], None] = lambda cell, finished, of: None,
) -> int:
    """Run the cells that are not finished.

    A cell's file is written by this process, whole, as soon as a worker hands its values over; a kill at any moment
    loses what is under way and nothing that is finished.

    Args:
        cells: in the order in which they are to be run.
        folder: of the sweep.
        work: runs one cell; it must be a function of a module, since it goes to other processes.
        jobs: workers on this machine; a cluster has its own number.
        cluster: as for `backend`.
        done: called after each cell with it, the number finished in this call and the number to do.

    Returns:
        How many were run.

    Raises:
        InputError: see `backend`.
    """
    from joblib import Parallel, delayed

    todo = missing(cells, folder)
    if not todo:
        return 0
    with backend(cluster):
        parallel = Parallel(n_jobs=-1 if cluster else jobs, return_as="generator_unordered", batch_size=1)
        finished = 0
        for cell, values in parallel(delayed(_labelled)(work, cell) for cell in todo):
            save(folder, cell, values)
            finished += 1
            done(cell, finished, len(todo))
    return finished


def _labelled(work: Work, cell: Cell) -> tuple[Cell, dict[str, Any]]:
    return cell, work(cell)
