"""Claims about: mean_field."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
