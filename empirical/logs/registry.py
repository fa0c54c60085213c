"""The registry of readers, in the order in which they are tried."""

from empirical.logs.reader import Reader
from empirical.logs.readers import (
    csvtable,
    html,
    jsondocument,
    jsonlines,
    keyvalue,
    markdown,
    notebook,
    parquet,
    pydict,
    tensorboard,
    verl,
    wandb,
)

READERS: tuple[Reader, ...] = (
    parquet.READER,
    tensorboard.READER,
    notebook.READER,
    jsonlines.READER,
    jsondocument.READER,
    html.READER,
    verl.READER,
    keyvalue.READER,
    pydict.READER,
    markdown.READER,
    wandb.READER,
    csvtable.READER,
)
