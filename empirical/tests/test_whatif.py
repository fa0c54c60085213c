"""What if: gains read off rates and swings against the exact map, the frontiers, and the coverage of the interval."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from empirical.diagnostics import whatif
from reference import lag
from reference.fitters import fit

pytestmark = pytest.mark.infrastructure

CASES = [(0.0, 1), (0.5, 1), (0.9, 1), (0.9, 4), (0.8, 16)]


@pytest.mark.parametrize(("mu", "interval"), CASES)
def test_a_relaxation_rate_gives_back_the_gain(mu: float, interval: int) -> None:
    """The rate is -log of the slow multiplier over the cycle; conditioning at 0.9 of the onset is below 1e3."""
    for share in (0.01, 0.5, 0.9):
        gain = share * whatif.onset(mu, interval)
        slow = lag.multipliers(mu, gain, interval)[0]
        rate = -math.log(slow.real) / interval
        found = whatif.of_rate(rate, 0.9 * rate, 1.1 * rate, mu, interval)
        assert found is not None
        assert found.value == pytest.approx(gain, rel=1e-10)  # 1e3 x a few 1e-16, and the logarithm's rounding
        assert found.low < found.value <= found.high <= whatif.onset(mu, interval) * (1 + 1e-12)
        assert whatif.of_rate(1e9, 1.0, 1e10, mu, interval) is None


@pytest.mark.parametrize(("mu", "interval"), [(0.5, 1), (0.9, 1), (0.9, 4), (0.8, 16)])
def test_a_swing_gives_back_the_gain_and_its_envelope(mu: float, interval: int) -> None:
    onset, edge = whatif.onset(mu, interval), whatif.critical(mu, interval)
    for share in (0.05, 0.3):
        gain = onset + share * (edge - onset)
        pair = lag.multipliers(mu, gain, interval)[0]
        growth, frequency = math.log(abs(pair)) / interval, abs(np.angle(pair)) / interval
        ends = (0.9 * frequency, 1.1 * frequency), (growth - 0.001, growth + 0.001)
        found = whatif.of_swing(frequency, growth, ends, mu, interval)
        assert found is not None
        assert found.value == pytest.approx(gain, rel=1e-10)  # the trace is a sum of numbers of order 1
        assert found.low < gain < found.high
        assert whatif.growth(found) == pytest.approx(growth, abs=1e-10)
    assert whatif.of_swing(math.pi, 0.0, ((3.0, 3.2), (-0.1, 0.1)), mu, 16) is None


@pytest.mark.parametrize(("mu", "interval", "share"), [(0.98, 1, 0.01), (0.9, 8, 0.5), (0.8, 20, 0.2)])
def test_the_interval_has_room_for_what_the_smooth_law_misses(mu: float, interval: int, share: float) -> None:
    """A nearly noiseless path of the exact map: the fit's own interval is narrower than its error."""
    onset = whatif.onset(mu, interval)
    gain = onset + share * (whatif.critical(mu, interval) - onset)
    path = np.asarray(lag.trajectory(mu, gain, interval, "periodic", 299))
    reward = 0.6 - 0.3 * path + 0.001 * np.random.default_rng(0).normal(size=300)
    law = fit(np.arange(300.0), reward, "second_order", noise="white").parameters
    frequency = law["omega_n"] * math.sqrt(1 - law["zeta"] ** 2)
    growth = -law["zeta"] * law["omega_n"]
    found = whatif.of_swing(frequency, growth, ((frequency, frequency), (growth, growth)), mu, interval)
    assert found is not None
    assert found.low <= gain <= found.high
    assert found.high < 1.6 * found.low


def test_states_change_at_the_frontiers_and_longest_and_largest_are_the_last_stable_ones() -> None:
    mu, interval = 0.9, 4
    onset, edge = whatif.onset(mu, interval), whatif.critical(mu, interval)
    states = [whatif.state(gain, mu, interval) for gain in (0.999 * onset, 1.001 * onset, 0.999 * edge, 1.001 * edge)]
    assert states == ["monotone", "rings", "rings", "unstable"]
    longest = whatif.longest(0.02, mu)
    stable = [bool(lag.stable(mu, 0.02, k, "periodic")) for k in range(1, 60)]
    assert longest == stable.index(False)
    assert whatif.longest(1e-9, mu) == whatif.LARGEST_INTERVAL
    assert whatif.longest(10.0, mu) == 0
    for adam, gain in ((False, 0.02), (True, 0.07)):
        top = whatif.largest_momentum(gain, mu, interval, adam)
        for rest, word in ((1.001 * (1 - top), "rings"), (0.999 * (1 - top), "unstable")):
            assert whatif.state(gain * rest / (1 - mu) if adam else gain, 1 - rest, interval) == word
    # as mu -> 1 the frontier is 2 (1 - mu)/(interval - 1): with AdamW a smaller share of 1 - mu is stable at any
    assert whatif.largest_momentum(0.02, mu, interval, True) == 1 - 1e-9
    assert whatif.largest_momentum(0.2, mu, interval, True) == mu  # unstable already


def test_what_is_raised_is_told_with_the_ends() -> None:
    mu, interval = 0.9, 1
    onset = whatif.onset(mu, interval)
    gain = whatif.Gain(0.4 * onset, 0.3 * onset, 0.6 * onset, mu, interval)
    told = whatif.told(gain, adam=False)
    assert told[0] == "now: monotone"
    assert told[1] == "learning rate x 2: monotone (rings at the high end of the interval)"
    assert told[2].startswith("momentum 0.9 -> 0.95: rings")  # its onset is (1 - sqrt 0.95)^2, a quarter
    assert told[3].startswith("refresh interval 1 -> 2: ")
    value, low, high = whatif.headroom(gain, whatif.onset)
    assert (value, low, high) == pytest.approx((2.5, 1 / 0.6, 1 / 0.3), rel=1e-12)


def test_the_interval_of_the_gain_holds_the_map_s() -> None:
    """30 runs of the exact map with white noise: the 90% interval of the gain covers at least 20 times.

    Binomial(30, 0.9) is below 21 with probability 2e-4 (alpha); an interval of half the width (coverage 59%) has
    fewer than 21 with probability 0.88 (power).
    """
    mu, interval, hits, runs = 0.9, 4, 0, 30
    gain = 0.15 * whatif.onset(mu, interval)
    path = np.asarray(lag.trajectory(mu, gain, interval, "periodic", 399))
    for number in range(runs):
        rng = np.random.default_rng([11, number])
        law = fit(np.arange(400.0), 0.6 - 0.3 * path + 0.04 * rng.normal(size=400), "single_exponential")
        low, high = law.interval(0.9)["rate"]
        found = whatif.of_rate(law.parameters["rate"], low, high, mu, interval)
        assert found is not None
        hits += found.low <= gain <= found.high
    assert hits >= binom.ppf(2e-4, runs, 0.9)
