"""Claims about: temperature."""

from spec.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
