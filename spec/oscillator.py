"""Claims about: oscillator."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
