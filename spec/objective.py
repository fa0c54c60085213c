"""Claims about: objective."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
