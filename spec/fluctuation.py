"""Claims about: fluctuation."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
