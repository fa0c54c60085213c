"""Section 5.6 against the reference bandit: which sentences hold, and under which reading of staleness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.bandit import SoftmaxBandit, fixed_points
from reference.cells import Stale
from reference.drift import class_rate, stiffness_parts
from reference.history import Schedule
from reference.lag import onset_gain
from reference.regime import crossings, settled
from verification.evidence import kill, within

ETA, MU, BETA = 0.30, 0.80, 1.00
READINGS: tuple[Stale, ...] = ("gradient", "sampling", "advantage")
LOWER, UPPER = fixed_points(1 / 8, BETA)
EPS = np.finfo(float).eps


def one_of_eight() -> SoftmaxBandit:
    return SoftmaxBandit.binary(1, 8, BETA)


@pytest.mark.claim("new-reward-units", step="whole-run", kind="property")
@given(
    rewards=st.lists(st.floats(0, 1), min_size=2, max_size=5),
    scale=st.floats(0.2, 5.0),
    offset=st.floats(-3, 3),
    interval=st.integers(0, 4),
    stale=st.sampled_from(READINGS),
)
def test_units_of_the_reward_do_not_matter(
    rewards: list[float], scale: float, offset: float, interval: int, stale: Stale
) -> None:
    # two rewards at fixed distance keep the spread away from 0
    first = np.array([0.0, 1.0, *rewards])
    eta, mu, steps = 0.2, 0.5, 10

    runs = [
        SoftmaxBandit(r, BETA).trajectory(eta, mu, interval, stale, "constant", steps)
        for r in (first, scale * first + offset)
    ]
    # rounding of c r + d relative to its spread: (5 + 3)/0.2 = 40 units, in each of 10 steps; one step
    # multiplies an error by at most 2 (eta |A| < 1, mu < 1), ten by 2**10; the order parameter scales by c
    bound = 40 * EPS * steps * 2**steps * max(scale, 1.0)
    within(float(np.max(np.abs(runs[1] - (scale * runs[0] + offset)))), bound, "gap to c p + d")


@pytest.mark.claim("new-reward-units", step="whole-run", kind="property")
def test_advantages_without_normalisation_do_see_the_unit() -> None:
    def check(normalised: bool) -> None:
        runs = [
            SoftmaxBandit(r, BETA, normalised=normalised).trajectory(0.2, 0.5, 1, "advantage", "constant", 10)
            for r in (np.array([0.0, 0.25, 1.0]), np.array([0.0, 1.0, 4.0]))
        ]
        # a power of 2 scales without rounding; 10 steps, each adding a few units and doubling at most
        within(float(np.max(np.abs(runs[1] - 4.0 * runs[0]))), 4 * 8 * EPS * 10 * 2**10, "gap to 4 p")

    check(True)
    kill("not-normalised", lambda: check(False))


@pytest.mark.claim("sec-5.6-monotone-small-interval", step="bandit-rings", kind="property")
@pytest.mark.parametrize("stale", READINGS)
def test_small_intervals_are_not_monotone(stale: Stale) -> None:
    def check(momentum: float) -> None:
        run = one_of_eight().trajectory(ETA, momentum, [0, 1], stale, "constant", 1500)
        assert np.all(crossings(run, LOWER.p) >= 5)

    check(MU)
    kill("no-momentum", lambda: check(0.0))


@pytest.mark.claim("sec-5.6-bounded", step="runs", kind="property")
@given(
    rewards=st.lists(st.floats(-3, 3), min_size=2, max_size=6),
    eta=st.floats(0.01, 5),
    mu=st.floats(0, 0.99),
    interval=st.integers(0, 12),
    stale=st.sampled_from(READINGS),
)
def test_runs_stay_between_the_rewards(
    rewards: list[float], eta: float, mu: float, interval: int, stale: Stale
) -> None:
    values = np.array([-4.0, 4.0, *rewards])
    run = SoftmaxBandit(values, BETA).trajectory(eta, mu, interval, stale, "constant", 60)
    # a normalised dot product of n terms is off by at most (2n + 2) units of the largest reward
    slack = (2 * len(values) + 2) * EPS * 4.0
    within(float(max(run.max() - 4.0, -4.0 - run.min(), 0.0)), slack, "excursion")


@pytest.mark.claim("sec-5.6-bounded", step="runs", kind="property")
def test_the_bound_is_the_largest_reward() -> None:
    run = one_of_eight().trajectory(ETA, MU, 10, "gradient", "constant", 500)

    def check(top: float) -> None:
        within(float(max(run.max() - top, 0.0)), 18 * EPS, "excursion")

    check(1.0)
    kill("unscaled", lambda: check(0.9))


@pytest.mark.claim("sec-5.6-persistent-ringing", step="absorbed", kind="property")
def test_stale_gradients_end_at_one() -> None:
    def check(intervals: list[int]) -> None:
        run = one_of_eight().trajectory(ETA, MU, intervals, "gradient", "constant", 3000)
        assert np.all(crossings(run, LOWER.p) == 1), "it crosses p* once and does not ring"
        assert np.all(run[-1] > 0.999), "past the upper fixed point 0.961 the drift points to p = 1"

    check([6, 7, 8, 10, 15, 20, 50, 120])
    kill("inside-the-window", lambda: check([3, 4, 5]))


@pytest.mark.claim("sec-5.6-persistent-ringing", step="rings", kind="property")
def test_stale_gradients_ring_just_past_the_threshold() -> None:
    def check(stale: Stale) -> None:
        run = one_of_eight().trajectory(ETA, MU, [3, 4, 5], stale, "constant", 3000)
        late = run[-500:] - LOWER.p
        assert np.all(np.sum(np.diff(np.sign(late), axis=0) != 0, axis=0) >= 10), "it crosses p* again and again"
        assert np.all(np.ptp(late, axis=0) > 0.1), "with an amplitude that does not die out"
        assert np.all(run < UPPER.p), "and stays below the upper fixed point"

    check("gradient")
    kill("printed-objective", lambda: check("advantage"))


@pytest.mark.claim("sec-5.6-persistent-ringing", step="dies-out", kind="property")
def test_ringing_dies_out_under_the_printed_objective() -> None:
    def check(stale: Stale) -> None:
        run = one_of_eight().trajectory(ETA, MU, list(range(0, 121, 4)), stale, "constant", 3000)
        assert np.all(settled(run, LOWER.p))

    check("advantage")
    kill("stale-gradient", lambda: check("gradient"))


def least_modulus(mu: float, instantaneous: float) -> float:
    """Least |z^2 - (1 + mu - b) z + mu| on the unit circle: a quadratic in cos(angle)."""
    trace = 1.0 + mu - instantaneous

    def squared(x: float) -> float:
        return 1.0 + trace**2 + mu**2 - 2.0 * trace * (1.0 + mu) * x + 2.0 * mu * (2.0 * x**2 - 1.0)

    ends = [-1.0, 1.0]
    if mu > 0.0:
        ends.append(min(max(trace * (1.0 + mu) / (4.0 * mu), -1.0), 1.0))
    return float(np.sqrt(max(min(squared(x) for x in ends), 0.0)))


@pytest.mark.claim("sec-5.6-threshold-confirmed", step="stable-at-every-lag", kind="property")
def test_no_lag_moves_a_root_to_the_unit_circle() -> None:
    # x_{k+1} = (1 + mu - b) x_k - mu x_{k-1} + d x_{k-lag}: a root on |z| = 1 needs |P(z)| = |d|; at d = 0
    # the roots lie inside; so |d| < min |P| keeps them inside at every lag
    b_rate, d_rate = stiffness_parts(LOWER.p, BETA, class_rate(1, 8))

    def check(instantaneous: float, delayed: float) -> None:
        within(abs(delayed), least_modulus(MU, instantaneous), "delayed part")

    check(ETA * float(b_rate), ETA * float(d_rate))
    roots = np.roots([1.0, -(1.0 + MU - ETA * float(b_rate)), MU])
    assert np.all(np.abs(roots) < 1.0)
    whole = ETA * float(b_rate - d_rate)
    kill("stale-gradients", lambda: check(1e-300, whole))


@pytest.mark.claim("sec-5.6-threshold-confirmed", step="stable-at-every-lag", kind="property")
def test_runs_far_beyond_the_line_settle() -> None:
    stiffness = LOWER.stiffness * class_rate(1, 8)
    line = (1 - MU) / (stiffness * ETA)

    def check(stale: Stale) -> None:
        intervals = [int(factor * line) + 1 for factor in (2, 5, 10, 20, 30)]
        run = one_of_eight().trajectory(ETA, MU, intervals, stale, "constant", 3000)
        assert np.all(settled(run, LOWER.p))

    check("advantage")
    kill("stale-gradients", lambda: check("gradient"))


def first_overshoot(eta: float, stale: Stale = "advantage") -> int:
    """The smallest interval at which the run without momentum passes p* by a thousandth of the way to it."""
    intervals = np.arange(int(2.5 / eta), int(4.0 / eta) + 1)
    run = one_of_eight().trajectory(eta, 0.0, intervals, stale, "constant", int(30 / eta))
    over = run.max(axis=0) > LOWER.p + 1e-3 * (LOWER.p - 1 / 8)
    assert not over[0]
    assert over[-1]
    return int(intervals[np.argmax(over)])


@pytest.mark.claim("new-frozen-scale-frontier", step="hyperbola", kind="property")
def test_the_first_overshoot_is_a_time_of_flow() -> None:
    rates = [0.2, 0.1, 0.05, 0.025, 0.0125]
    found = [first_overshoot(eta) for eta in rates]

    def check(unit: list[float]) -> None:
        for i in range(len(rates) - 1):
            # an onset is known to one interval: eta on one side, eta/2 on the other
            within(found[i] * unit[i] - found[i + 1] * unit[i + 1], 1.5 * rates[i], "shift of the onset")

    check(rates)
    kill("fixed-interval", lambda: check([0.1] * len(rates)))


@pytest.mark.claim("new-frozen-scale-frontier", step="with-momentum", kind="property")
def test_with_momentum_the_onset_tends_to_the_same_time_of_flow() -> None:
    """In units of eta K_ref/(1 - mu), a step is `unit`; the onset is known to one of them."""
    rates = [0.01, 0.005, 0.0025]
    units = [eta / (1 - MU) for eta in rates]
    free = 0.0125 * first_overshoot(0.0125)
    shortfall = []
    for eta, unit in zip(rates, units, strict=True):
        intervals = np.arange(int(2.5 / unit), int(4.0 / unit) + 1)
        run = one_of_eight().trajectory(eta, MU, intervals, "advantage", "constant", int(30 / unit))
        over = run.max(axis=0) > LOWER.p + 1e-3 * (LOWER.p - 1 / 8)
        assert not over[0]
        assert over[-1]
        shortfall.append(free - unit * float(intervals[np.argmax(over)]))

    def check(limit: float) -> None:
        for i in range(len(rates) - 1):
            # first order in eta: halved with it, to one interval at either rate and one of the limit's
            gap = 2 * (shortfall[i + 1] + limit - free) - (shortfall[i] + limit - free)
            within(gap, 2 * units[i + 1] + units[i] + 0.0125, "shortfall that is not halved")

    assert [round(free - x, 3) for x in shortfall] == [2.9, 3.05, 3.125], "the momentum carries it past p* sooner"
    check(free)
    kill("other-time", lambda: check(3.6))


@pytest.mark.claim("new-frozen-scale-frontier", step="closer-start", kind="property")
def test_a_start_closer_to_one_half_never_overshoots() -> None:
    eta = 0.2

    def check(correct: int) -> None:
        target = fixed_points(correct / 8, BETA)[0]
        line = 1.0 / (target.stiffness * class_rate(correct, 8))
        intervals = np.unique(np.linspace(0, 1.25 * line / eta, 60).astype(int))
        run = SoftmaxBandit.binary(correct, 8, BETA).trajectory(eta, 0.0, intervals, "advantage", "constant", 4000)
        # no tolerance on the passage but rounding: p is a sum of 8 terms
        assert run.max() <= target.p + 16 * EPS

    check(2)
    kill("one-of-eight", lambda: check(1))


@pytest.mark.claim("new-frozen-scale-frontier", step="no-instability", kind="property")
def test_overshoot_is_no_instability() -> None:
    eta = 0.05
    onset = first_overshoot(eta)

    def check(stale: Stale) -> None:
        run = one_of_eight().trajectory(eta, 0.0, [onset, 2 * onset, 5 * onset], stale, "constant", 20_000)
        assert np.all(settled(run, LOWER.p))

    check("advantage")
    kill("stale-gradient", lambda: check("gradient"))


def critical_damping_gain(mu: float, interval: np.ndarray) -> np.ndarray:
    """The gain eta K at which Eq. 10 is 1: the positive root of (1 - mu - a N)^2 = 2 a (1 + mu + a N^2)."""
    half, square = (1.0 - mu) * interval + (1.0 + mu), (1.0 - mu) ** 2
    return square / (half + np.sqrt(half**2 + interval**2 * square))


@pytest.mark.claim("sec-5.6-gap-narrows", step="periodic-gap-widens", kind="property")
def test_the_gap_to_the_onset_widens_under_periodic_refresh() -> None:
    intervals = np.array([1, 2, 3, 5, 10, 20, 50, 100])

    def check(schedule: Schedule) -> None:
        share = critical_damping_gain(MU, intervals) / onset_gain(MU, intervals, schedule)
        assert np.all(np.diff(share) < 0.0), "the curve falls behind the onset as the interval grows"
        assert np.all(share < 1.0), "and is early everywhere"
        # three printed digits: half a unit of the last
        assert abs(share[0] - 0.895) < 5e-4
        assert abs(share[-1] - 0.560) < 5e-4

    constant = critical_damping_gain(MU, intervals) / onset_gain(MU, intervals, "constant")
    for interval, printed, half in ((1, 0.9975, 5e-5), (3, 1.001, 5e-4), (100, 1.107, 5e-4)):
        assert abs(constant[intervals == interval][0] - printed) < half
    check("periodic")
    kill("constant-lag", lambda: check("constant"))
