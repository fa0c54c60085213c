"""Claims about: threshold."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
