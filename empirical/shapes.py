"""The shape of a transformer, and the memory that training it needs."""

from dataclasses import dataclass

GIB = 2.0**30
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


@dataclass(frozen=True)
class Shape:
    """A decoder-only transformer.

    Attributes:
        parameters: their number.
        layers: transformer blocks.
        hidden: width of the residual stream.
        intermediate: width of the MLP.
        keys: key-value heads times the width of a head.
        vocabulary: tokens.
        gated: whether the MLP has a gate projection.
    """

    parameters: int
    layers: int
    hidden: int
    intermediate: int
    keys: int
    vocabulary: int
    gated: bool = True

    def adapters(self, rank: int) -> int:
        """Parameters of LoRA adapters of this rank on q, k, v, o, up, down and (where there is one) gate."""
        attention = 2 * (2 * self.hidden) + 2 * (self.hidden + self.keys)
        mlp = (3 if self.gated else 2) * (self.hidden + self.intermediate)
        return self.layers * rank * (attention + mlp)

    def memory(self, dtype: str, rank: int | None, sequences: int, batch: int, length: int) -> float:
        """An estimate, in GiB, of what a training step holds at its peak.

        Weights; the trained parameters' weight, gradient and two moments at 4 bytes each (a copy of everything
        where no adapters are used); the key-value cache of one generation; activations of one micro-batch,
        checkpointed by layer, plus one layer's; the logits of one micro-batch and their gradient.

        Args:
            dtype: of the frozen weights.
            rank: of the adapters; None trains every weight.
            sequences: of one generation, on one device.
            batch: sequences of a micro-batch.
            length: tokens of a prompt with its completion.
        """
        width = BYTES[dtype]
        weights = self.parameters * width
        trained = 16 * (self.parameters if rank is None else self.adapters(rank))
        cache = sequences * length * self.layers * 2 * self.keys * width
        blocks = batch * length * width * (self.layers * self.hidden + 12 * self.hidden + 4 * self.intermediate)
        logits = 2 * 4 * batch * length * self.vocabulary
        return (weights + trained + cache + blocks + logits) / GIB
