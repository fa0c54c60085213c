"""Drift: the exact mean-field law of the binary softmax bandit, and what Eq. 5's K can mean.

Rewards take two values; m of n completions earn the higher one; the start is symmetric within each class.
With p the probability of the higher reward, L the logit, kappa = n/(m (n-m)) and no epsilon in Eq. 1's
denominator, the gradient flow of Eq. 2 closes on p (Assumption 1 holds exactly):

    dL/dt = kappa p (1-p) [F(p) - beta (L - L_ref)],    dp/dt = p (1-p) dL/dt,

where F = 1/sqrt(p (1-p)) for infinite groups and `reference.group.drift_factor` for finite ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.counts import Floats
from reference.group import drift_factor, drift_factor_slope


def logit(p: ArrayLike) -> Floats:
    """Compute log(p/(1-p)).

    Args:
        p: probability strictly inside (0, 1), any shape.

    Raises:
        ValueError: p lies outside (0, 1).
    """
    p_ = domain.open_probability("p", p)
    out: Floats = np.log(p_) - np.log1p(-p_)
    return out[()]


def reference_logit(p_ref: float) -> float:
    """Return the logit of the reference policy's success probability, a single number.

    Args:
        p_ref: strictly inside (0, 1).

    Raises:
        ValueError: p_ref lies outside (0, 1).
    """
    return float(logit(domain.number("p_ref", p_ref, 0.0, 1.0, closed=False)))


def sigmoid(x: ArrayLike) -> Floats:
    """Compute 1/(1 + exp(-x)) without overflow, for any real x."""
    x_ = np.asarray(x, dtype=np.float64)
    out: Floats = np.exp(-np.logaddexp(0.0, -x_))
    return out[()]


def class_rate(correct: int, completions: int) -> float:
    """Compute kappa = n/(m (n-m)), the rate at which a binary bandit's logit follows its classes' gradients.

    Args:
        correct: m, completions that earn the higher reward, from 1 to n-1.
        completions: n, at least 2.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    completions = domain.integer("completions", completions, 2)
    correct = domain.integer("correct", correct, 1, completions - 1)
    return completions / (correct * (completions - correct))


def drift(
    p: ArrayLike, p_ref: float, beta: float, kappa: float = 1.0, size: int | None = None, ddof: int = 0
) -> Floats:
    """Compute g(p) = dp/dt of Assumption 1, exactly.

    Args:
        p: success probability in [0, 1], any shape.
        p_ref: the reference policy's success probability, strictly inside (0, 1).
        beta: weight of the KL term, at least 0.
        kappa: `class_rate` of the bandit (1 gives the rate per kappa).
        size: completions in a group, None for infinite groups.
        ddof: 0 or 1, only read for finite groups.

    Returns:
        Array of the shape of p, per unit of (learning rate times steps); 0 at p = 0 and 1.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Eq. 1, 2, 4 and Assumption 1 of the paper.
    """
    p_ = domain.probability("p", p)
    x_ref = reference_logit(p_ref)
    beta = domain.number("beta", beta, 0.0)
    kappa = domain.number("kappa", kappa, 0.0)
    s = p_ * (1.0 - p_)
    inside = s > 0.0
    safe = np.where(inside, p_, 0.5)
    pull = np.log(safe) - np.log1p(-safe) - x_ref
    push = 1.0 / np.sqrt(safe * (1.0 - safe)) if size is None else drift_factor(safe, size, ddof)
    out: Floats = np.where(inside, kappa * (s * (s * (push - beta * pull))), 0.0)  # s**2 alone may underflow
    return out[()]


def stiffness(p: ArrayLike, beta: float, kappa: float = 1.0, size: int | None = None, ddof: int = 0) -> Floats:
    """Compute -g'(p*) at a fixed point; for infinite groups kappa [beta sigma^2 - sigma (2p-1)/2].

    Args:
        p: a fixed point, strictly inside (0, 1), any shape.
        beta: weight of the KL term, at least 0.
        kappa: `class_rate` of the bandit.
        size: completions in a group, None for infinite groups.
        ddof: 0 or 1, only read for finite groups.

    Returns:
        Array of the shape of p: rate of relaxation per unit of (learning rate times steps); negative where
        the fixed point repels.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Lemma 3 of the paper, lambda = -g'(p*).
    """
    instantaneous, delayed = stiffness_parts(p, beta, kappa, size, ddof)
    return instantaneous - delayed


def stiffness_parts(
    p: ArrayLike, beta: float, kappa: float = 1.0, size: int | None = None, ddof: int = 0
) -> tuple[Floats, Floats]:
    """Split the linearised map of Eq. 2-3 into what acts at once and what acts through theta_old.

    In the logit about a fixed point x_{k+1} = (1 + mu - b) x_k - mu x_{k-1} + d x_{k-lag}, because under Eq.
    2 the sampling policy enters the mean only through F(p_old): b = eta kappa beta s, d = eta kappa s^2
    F'(p) with s = p (1-p). For infinite groups d = eta kappa sigma (2p-1)/2. Above p = 1/2 the delayed part
    is anti-restoring, at 1/2 it vanishes; at sizes 2 and 3 it vanishes everywhere.

    Args:
        p: a fixed point, strictly inside (0, 1), any shape.
        beta: weight of the KL term, at least 0.
        kappa: `class_rate` of the bandit.
        size: completions in a group, None for infinite groups.
        ddof: 0 or 1, only read for finite groups.

    Returns:
        b/eta and d/eta, arrays of the shape of p; `stiffness` is their difference.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Eq. 1-4 of the paper, against its Lemma 5.
    """
    p_ = domain.open_probability("p", p)
    beta = domain.number("beta", beta, 0.0)
    kappa = domain.number("kappa", kappa, 0.0)
    s = p_ * (1.0 - p_)
    now: Floats = kappa * beta * s
    if size is None:
        old: Floats = kappa * np.sqrt(s) * (p_ - 0.5)
    else:
        old = kappa * s**2 * drift_factor_slope(p_, size, ddof)
    return now[()], old[()]


def early_slope(p_ref: float, p_star: float, kappa: float = 1.0) -> float:
    """Compute the slope of -log(p* - p(t)) at the very start, kappa sigma_ref^3 / (p* - p_ref).

    For infinite groups. This is what "K from the early-training slope" reads in the limit of an early
    window. It is the relaxation rate -g'(p*) only if the drift is a straight line from p_ref to p*.

    Args:
        p_ref: success probability of the reference policy, where the run starts, strictly inside (0, 1).
        p_star: the fixed point, in (p_ref, 1).
        kappa: `class_rate` of the bandit.

    Returns:
        Rate per unit of (learning rate times steps).

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Remark 12 and Section 5.6 of the paper.
    """
    p_ref = domain.number("p_ref", p_ref, 0.0, 1.0, closed=False)
    p_star = domain.number("p_star", p_star, p_ref, 1.0, closed=False)
    kappa = domain.number("kappa", kappa, 0.0)
    return float(kappa * (p_ref * (1.0 - p_ref)) ** 1.5 / (p_star - p_ref))


def amplification_slope(p: ArrayLike, beta: float) -> Floats:
    """Compute h'(p*) of Mroueh's map h(p) = sigmoid(L(p_ref) + 1/(beta sigma(p))) at its fixed point.

    Together with `stiffness` it makes Lemma 3's proportionality exact: -g'(p*) = kappa beta sigma^2 (1 - h').

    Args:
        p: a fixed point, strictly inside (0, 1), any shape.
        beta: weight of the KL term, positive.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Mroueh (2025), as the paper's Assumption 1 and Lemma 3 cite it.
    """
    p_ = domain.open_probability("p", p)
    beta = domain.number("beta", beta, 0.0, closed=False)
    out: Floats = (p_ - 0.5) / (beta * np.sqrt(p_ * (1.0 - p_)))
    return out[()]
