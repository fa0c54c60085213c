"""Claims about: advantage."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
