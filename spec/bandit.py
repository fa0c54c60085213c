"""Claims about: bandit."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
