"""Claims about: lag."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
