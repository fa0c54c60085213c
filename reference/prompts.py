"""Prompts: finite-group quantities averaged over prompts whose success probabilities are Beta distributed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reference import domain
from reference.counts import Floats, Integers, beta_binomial_weights
from reference.group import expected_std

# Above this size the quadrature has fewer nodes than a polynomial of the size's degree asks for.
EXACT_NODES = 400


@dataclass(frozen=True)
class BetaPrompts:
    """Prompts whose success probability is drawn from Beta(alpha, beta), as in a Beta-binomial data set.

    Args:
        alpha, beta: positive shape parameters, at most 1e6 (dimensionless).

    Raises:
        ValueError: a parameter lies outside its domain.

    Source: Beta-binomial sums (Skellam 1948) over the paper's Eq. 1 and Lemma 6.
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, domain.number(name, getattr(self, name), 1e-6, 1e6))

    @property
    def mean(self) -> float:
        """Mean success probability over prompts."""
        return self.alpha / (self.alpha + self.beta)

    def _moment(self, successes: float, failures: float) -> float:
        """Return E[p^successes (1-p)^failures] as a ratio of Beta functions.

        Its relative error is that of differences of log-gammas: up to 5e-9 at the largest parameters.
        """
        a, b = self.alpha, self.beta
        total = math.lgamma(a + b) - math.lgamma(a + b + successes + failures)
        return math.exp(
            math.lgamma(a + successes) - math.lgamma(a) + math.lgamma(b + failures) - math.lgamma(b) + total
        )

    def expected_std(self, size: int, ddof: int = 0) -> float:
        """Compute the mean over prompts of E[std_G]: one Beta-binomial sum, exact for every size.

        Args:
            size: completions in a group, an integer of at least 2.
            ddof: 0 (population std) or 1 (sample std).

        Raises:
            ValueError: an argument lies outside its domain.
        """
        size = domain.integer("size", size, 2)
        ddof = domain.integer("ddof", ddof, 0, 1)
        counts, weights = beta_binomial_weights(self.alpha, self.beta, size)
        return math.sqrt(size / (size - ddof)) * float(weights @ _std(counts, size))

    def population_std(self) -> float:
        """Compute the mean over prompts of sigma = sqrt(p (1-p)), the limit of `expected_std`.

        Good to 1e-11: the ratios Gamma(x + 1/2)/Gamma(x) are not differences of large log-gammas.
        """
        from scipy.special import poch

        return float(poch(self.alpha, 0.5) * poch(self.beta, 0.5) / (self.alpha + self.beta))

    def drift_ratio(self, size: int, ddof: int = 0) -> float:
        """Compute the mean drift of the logits over prompts, finite groups over infinite groups.

        Args:
            size: completions in a group, an integer of at least 2.
            ddof: 0 (population std, Eq. 1) or 1 (sample std, trainers; smaller by sqrt((G-1)/G)).

        Raises:
            ValueError: an argument lies outside its domain.
        """
        size = domain.integer("size", size, 2)
        ddof = domain.integer("ddof", ddof, 0, 1)
        shrink = math.sqrt((size - ddof) / size)
        return shrink * self.expected_std(size) / self.population_std()

    def collapsed_fraction(self, size: int) -> float:
        """Compute the share of groups without spread, E[p^size + (1-p)^size], to a relative 5e-9 at the worst.

        Args:
            size: completions in a group, an integer of at least 2.

        Raises:
            ValueError: size lies outside its domain.
        """
        size = domain.integer("size", size, 2)
        return self._moment(float(size), 0.0) + self._moment(0.0, float(size))

    def _quadrature(self, count: int) -> tuple[Floats, Floats]:
        """Return nodes and weights of Gauss quadrature (Golub and Welsch 1969) for functions of p (1-p).

        The recurrence of the monic Jacobi polynomials on [0, 1] is p = A_n + C_n on the diagonal and A_n C_{n+1} beside
        it, squared: all terms are positive, and the weights, squares of eigenvector components, cannot overflow.
        """
        from scipy.linalg import eigh_tridiagonal

        n, total = np.arange(count - 1.0), self.alpha + self.beta  # one less than the index: sums that do not cancel
        a, b = sorted((self.alpha, self.beta))  # the integrands are even about 1/2; nodes near 0 keep their digits
        up = (n + 1.0 + a) / (2.0 * n + total + 1.0) * ((n + total) / (2.0 * n + 2.0 + total))
        down = (n + 1.0) / (2.0 * n + total) * ((n + b) / (2.0 * n + total + 1.0))
        up = np.concatenate([[a / total], up])
        diagonal = up + np.concatenate([[0.0], down])
        nodes, vectors = eigh_tridiagonal(diagonal, np.sqrt(up[:-1] * down))
        weights: Floats = vectors[0] ** 2
        return np.clip(nodes, 0.0, 1.0), weights / weights.sum()

    def step_variance(self, size: int, prompts: int = 1, ddof: int = 0) -> tuple[float, float]:
        """Split the variance of one step's estimator, averaged over prompts that share one logit.

        For B prompts a step with one group each, Var = Var_q[drift]/B + E_q[noise]/(B G): the first part is
        left whatever the size of the groups. (Logit coordinate, all prompts equally sensitive to it.)

        Args:
            size: completions in a group, an integer from 2 to 400 (the quadrature in p is then exact up to
                rounding: the drift is a polynomial of degree `size`).
            prompts: prompts a step, at least 1.
            ddof: 0 (population std, Eq. 1) or 1 (sample std, trainers).

        Returns:
            The part between prompts and the part within groups; they add up to the variance.

        Raises:
            ValueError: an argument lies outside its domain.

        Source: law of total variance; completes the paper's Lemma 6 and Proposition 10.
        """
        size = domain.integer("size", size, 2, EXACT_NODES)
        prompts = domain.integer("prompts", prompts, 1)
        ddof = domain.integer("ddof", ddof, 0, 1)
        nodes, weights = self._quadrature(size + 1)
        drift = expected_std(nodes, size)
        mean = float(weights @ drift)
        between = float(weights @ (drift - mean) ** 2)
        total = self.alpha + self.beta
        square = (size - 1) / size * (self.alpha / total) * (self.beta / (total + 1.0))  # of E[p (1-p)]
        within = square - float(weights @ drift**2)
        scale = (size - ddof) / size / prompts
        return scale * between, scale * within


def _std(counts: Integers, size: int) -> Floats:
    """Return the population std of a group with the given number of successes."""
    out: Floats = np.sqrt(counts * (size - counts.astype(np.float64))) / size
    return out
