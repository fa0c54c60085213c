"""Claims about: saturation."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
