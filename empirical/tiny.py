"""The preset `tiny`: a transformer of about 10^5 parameters that reads characters and adds a little."""

import hashlib
import string
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from empirical.cache import cached_folder

CHARACTERS = string.printable[:95]
PAD, EOS, UNKNOWN = "<pad>", "<eos>", "<unk>"


@dataclass(frozen=True)
class Recipe:
    """How the model is made; a function of these numbers alone, on one machine.

    Attributes:
        seed: of the weights and of the warm-up's batches.
        layers, hidden, intermediate, heads: its shape.
        positions: the longest text.
        warm_up: supervised steps on the sums of two digits; enough to be right now and then, not always.
        batch: sums a step.
        learning_rate: of AdamW.
    """

    seed: int = 0
    layers: int = 2
    hidden: int = 64
    intermediate: int = 160
    heads: int = 4
    positions: int = 512
    warm_up: int = 150
    batch: int = 64
    learning_rate: float = 3e-3

    @property
    def key(self) -> str:
        """Names the model in the cache."""
        return hashlib.blake2b(repr(asdict(self)).encode(), digest_size=6).hexdigest()


def tokenizer() -> Any:
    """One token a printable ASCII character, and three special ones; pads to the left."""
    from tokenizers import Regex, Tokenizer
    from tokenizers.decoders import Fuse
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Split
    from transformers import PreTrainedTokenizerFast

    vocabulary = {token: place for place, token in enumerate([PAD, EOS, UNKNOWN, *CHARACTERS])}
    model = Tokenizer(WordLevel(vocabulary, unk_token=UNKNOWN))
    model.pre_tokenizer = Split(Regex(r"[\s\S]"), "isolated")
    model.decoder = Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=model,
        pad_token=PAD,
        eos_token=EOS,
        unk_token=UNKNOWN,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def untrained(recipe: Recipe, vocabulary: int) -> Any:
    """The model with random weights."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(recipe.seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=recipe.hidden,
        intermediate_size=recipe.intermediate,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.heads,
        max_position_embeddings=recipe.positions,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config)


def sums() -> list[tuple[str, str]]:
    """Every sum and difference of two digits, with its answer."""
    digits = range(10)
    return [(f"{a}{op}{b}=", str(a + b if op == "+" else a - b)) for a in digits for op in "+-" for b in digits]


def warm_up(model: Any, reader: Any, recipe: Recipe) -> None:
    """Supervised steps on random sums: cross-entropy of the answer and the end, given the question."""
    import torch

    pairs = sums()
    rows = []
    for question, answer in pairs:
        asked, told = reader(question)["input_ids"], [*reader(answer)["input_ids"], reader.eos_token_id]
        rows.append(([*asked, *told], [*([-100] * len(asked)), *told]))
    width = max(len(ids) for ids, _ in rows)
    ids = torch.tensor([row + [reader.pad_token_id] * (width - len(row)) for row, _ in rows])
    labels = torch.tensor([row + [-100] * (width - len(row)) for _, row in rows])
    mask = (ids != reader.pad_token_id).long()
    generator = torch.Generator().manual_seed(recipe.seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate)
    model.train()
    for _ in range(recipe.warm_up):
        chosen = torch.randint(len(rows), (recipe.batch,), generator=generator)
        loss = model(input_ids=ids[chosen], attention_mask=mask[chosen], labels=labels[chosen]).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()


def make(recipe: Recipe, folder: Path) -> None:
    """Make the model and its tokenizer, and save both in a folder."""
    reader = tokenizer()
    model = untrained(recipe, len(reader))
    warm_up(model, reader, recipe)
    model.save_pretrained(folder)
    reader.save_pretrained(folder)


def tiny_folder(recipe: Recipe | None = None) -> Path:
    """The folder with the weights, made at the first call and cached."""
    recipe = recipe or Recipe()
    return cached_folder(f"tiny-{recipe.key}", lambda folder: make(recipe, folder))
