"""Group: exact finite-group theory of the advantage (Eq. 1) for rewards that are Bernoulli(p).

A group of `size` completions has X ~ Binomial(size, p) successes. With phat = X/size its population variance
(ddof 0) is v = phat (1 - phat), and its standard deviation is s = sqrt(v) or, with ddof 1,
s = sqrt(v size/(size-1)). A group without spread (X = 0 or X = size) gives the advantage 0/0 of Eq. 1; it is
counted as no signal, which is what trainers do (and what any epsilon > 0 in the denominator gives).

The mean of the estimator of Lemma 2. Given the rewards, the mean score of a success is grad p / p and that
of a failure is -grad p/(1-p). Hence E[(1/G) sum_i A_i grad log pi(o_i)] = grad p E[v/s] / (p (1-p)), where
v/s = sqrt(v) for ddof 0 and sqrt(v (G-1)/G) for ddof 1. The limit of infinite groups is grad p / sigma with
sigma = sqrt(p (1-p)).

The identity C(G,k) k (G-k) = G (G-1) C(G-2,k-1) removes the 0/0 at both ends: with J ~ Binomial(G-2, p),
E[v/(s + epsilon)] / (p (1-p)) = (G-1)/G E[1/(s_{J+1} + epsilon)], a Bernstein polynomial of degree G-2 in p,
convex and symmetric, so it lies between its value at 1/2 and, at both ends, sqrt(G-1) (ddof 0).

Sources: the paper's Eq. 1-4, Lemma 6 and Proposition 10 for the statements examined; the closed forms are
elementary binomial sums (Feller 1968), the large-group expansions the delta method (Cramer 1946).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.counts import Floats, Integers, binomial_weights, expectation


def _arguments(p: ArrayLike, size: int, ddof: int) -> tuple[Floats, int, int]:
    """Check the three arguments that nearly every function of this module shares."""
    return domain.probability("p", p), domain.integer("size", size, 2), domain.integer("ddof", ddof, 0, 1)


def _bessel(size: int, ddof: int) -> float:
    """Return std with the given ddof over the population std, sqrt(size/(size-ddof))."""
    return math.sqrt(size / (size - ddof))


def drift_factor(p: ArrayLike, size: int, ddof: int = 0, epsilon: float = 0.0) -> Floats:
    """Compute E[v/(s + epsilon)] / (p (1-p)): the mean estimator of a group is this factor times grad p.

    It is also the mean advantage of a success minus that of a failure, the only way in which the sampling
    policy enters the mean of Eq. 2's gradient when rewards take two values.

    Args:
        p: success probability in [0, 1], any shape.
        size: completions in a group, an integer of at least 2.
        ddof: 0 (population std, Eq. 1) or 1 (sample std, trainers).
        epsilon: non-negative number added to the std (trainers: 1e-4).

    Returns:
        Dimensionless array of the shape of p; sqrt(size-1) at p = 0 and 1 for ddof 0 and epsilon 0.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Eq. 1 and Lemma 2 of the paper, with the identity of the module's head.
    """
    p_, size, ddof = _arguments(p, size, ddof)
    epsilon = domain.number("epsilon", epsilon, 0.0)
    scale = _bessel(size, ddof) / size

    def inverse(j: Integers) -> Floats:
        k = j + 1.0
        return 1.0 / (scale * np.sqrt(k * (size - k)) + epsilon)

    out: Floats = (size - 1) / size * expectation(inverse, p_, size - 2)
    return out[()]


def drift_factor_slope(p: ArrayLike, size: int, ddof: int = 0, epsilon: float = 0.0) -> Floats:
    """Compute d/dp of `drift_factor`, with the same arguments, errors and source.

    Returns:
        Array of the shape of p; negative below p = 1/2, positive above, and 0 everywhere at sizes 2 and 3,
        where all groups with spread have the same std: the sampling policy then has no influence on the
        mean. For infinite groups (2p-1)/(2 sigma^3).
    """
    p_, size, ddof = _arguments(p, size, ddof)
    epsilon = domain.number("epsilon", epsilon, 0.0)
    if size == 2:
        return np.zeros_like(p_)[()]
    scale = _bessel(size, ddof) / size

    def difference(j: Integers) -> Floats:
        k = j + 1.0
        here = scale * np.sqrt(k * (size - k)) + epsilon
        following = scale * np.sqrt((k + 1.0) * (size - k - 1.0)) + epsilon
        out: Floats = scale * (2.0 * k + 1.0 - size) / (np.sqrt(k * (size - k)) + np.sqrt((k + 1) * (size - k - 1)))
        return out / (here * following)

    out: Floats = (size - 1) / size * (size - 2) * expectation(difference, p_, size - 3)
    return out[()]


def expected_std(p: ArrayLike, size: int, ddof: int = 0) -> Floats:
    """Compute E[std_G], the mean of the within-group standard deviation of Bernoulli(p) rewards.

    Args:
        p: success probability in [0, 1], any shape.
        size: completions in a group, an integer of at least 2.
        ddof: 0 (population std) or 1 (sample std).

    Returns:
        Array of the shape of p, in units of the reward; 0 at p = 0 and 1.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Eq. 1 of the paper; a binomial sum.
    """
    p_, size, ddof = _arguments(p, size, ddof)
    out: Floats = _bessel(size, ddof) * p_ * (1.0 - p_) * drift_factor(p_, size)
    return out[()]


def drift_ratio(p: ArrayLike, size: int, ddof: int = 0) -> Floats:
    """Compute the mean drift of finite groups over that of infinite groups.

    It equals E[std_G]/sigma for ddof 0. With ddof 1 the advantage is divided by a std that is larger by
    sqrt(G/(G-1)), so the ratio is *smaller*, by sqrt((G-1)/G), although E[std_G] itself is larger.

    Args:
        p: success probability in [0, 1], any shape.
        size: completions in a group, an integer of at least 2.
        ddof: 0 (population std, Eq. 1) or 1 (sample std, trainers).

    Returns:
        Array of the shape of p, in [0, 1). At p = 0 and 1 the documented limit, 0 (the ratio vanishes like
        sqrt((size-1) p)).

    Raises:
        ValueError: an argument lies outside its domain.

    Source: corrects the first sentence of Proposition 10 of the paper.
    """
    p_, size, ddof = _arguments(p, size, ddof)
    out: Floats = np.sqrt(p_ * (1.0 - p_)) * drift_factor(p_, size, ddof)
    return out[()]


def collapsed_fraction(p: ArrayLike, size: int) -> Floats:
    """Compute the share of groups without any spread in their rewards, p**size + (1-p)**size.

    Args:
        p: success probability in [0, 1], any shape.
        size: completions in a group, an integer of at least 2.

    Returns:
        Array of the shape of p.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: elementary; trainers log it as frac_reward_zero_std.
    """
    p_, size, _ = _arguments(p, size, 0)
    with np.errstate(divide="ignore", under="ignore"):
        out: Floats = np.exp(size * np.log(p_)) + np.exp(size * np.log1p(-p_))
    return out[()]


def noise_variance(p: ArrayLike, size: int, ddof: int = 0, normalised: bool = True) -> Floats:
    """Compute G Var of the one-group estimator in the logit, when all completions of a class are alike.

    With a single logit x, p = 1/(1+exp(-x)), the score is 1-p for a success and -p for a failure, and the
    estimator of Lemma 2 is v/s: sqrt(phat (1-phat)) for ddof 0. So for ddof 0
    G Var = (G-1) p (1-p) - G E[std_G]^2, which tends to (1-2p)^2/4 = 1/4 - p(1-p), and to 1/(8 G) at p = 1/2.
    (In the softmax over n completions of which m succeed, the same times (n/(m (n-m)))^2.)

    Args:
        p: success probability in [0, 1], any shape.
        size: completions in a group, an integer of at least 2.
        ddof: 0 (population std, Eq. 1) or 1 (sample std, trainers).
        normalised: False drops the division by the std; the estimator is then v itself, whatever ddof.

    Returns:
        Array of the shape of p (times reward squared where not normalised). Summed around the limit, so that
        nothing cancels at p = 1/2.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: examines Lemma 6 of the paper; the delta method (Cramer 1946) gives the limit.
    """
    p_, size, ddof = _arguments(p, size, ddof)
    out = np.empty(p_.shape)
    for index in np.ndindex(p_.shape):
        out[index] = _centred_variance(float(p_[index]), size, normalised)
    if normalised:
        out *= size / _bessel(size, ddof) ** 2
    else:
        out *= size
    return out[()]


def _centred_variance(p: float, size: int, normalised: bool) -> float:
    """Return Var[sqrt(v)], or Var[v], as a sum over deviations from the value at phat = p.

    Counts of the rarer outcome: v is the same, and size * p next to `size` would lose what p differs from 1 by.
    """
    p = min(p, 1.0 - p)
    counts, weights = binomial_weights(p, size)
    phat = counts / size
    deviation = (counts - size * p) / size * (1.0 - phat - p)  # v - p(1-p), without cancellation
    if normalised:
        total = np.sqrt(phat * (1.0 - phat)) + math.sqrt(p * (1.0 - p))
        deviation = np.divide(deviation, total, out=np.zeros_like(deviation), where=total > 0.0)
    deviation = deviation - weights @ deviation
    return float(weights @ deviation**2)


def population_noise_variance(p: ArrayLike, normalised: bool = True) -> Floats:
    """Compute Lemma 6's covariance read literally: one completion scored with the *known* mean and std.

    In the logit coordinate A grad log pi is (1-p)^2/sigma for a success and p^2/sigma for a failure, so its
    variance is (1-2p)^2: four times the limit that the estimated std of Eq. 1 gives. Without normalisation it
    is p (1-p) (1-2p)^2, which is the right limit: estimating the mean costs nothing at leading order.

    Args:
        p: success probability in [0, 1], any shape.
        normalised: whether the advantage is divided by the std.

    Returns:
        Array of the shape of p.

    Raises:
        ValueError: p lies outside [0, 1].

    Source: Lemma 6 of the paper.
    """
    p_ = domain.probability("p", p)
    out: Floats = (1.0 - 2.0 * p_) ** 2
    if not normalised:
        out = out * p_ * (1.0 - p_)
    return out[()]
