"""Claims about: published."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
