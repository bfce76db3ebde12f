"""Asks TensorBoard itself what the hyperparameters of tests/corpus are: see README.md."""

from __future__ import annotations

from typing import Any

from google.protobuf.json_format import MessageToDict
from keeping import HERE, keep
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

FILE = "hparams.json"
CORPUS = HERE.parent / "corpus"


def main() -> None:
    """Read every file, and keep what its hyperparameters are beside this file."""
    found: dict[str, list[Any]] = {}
    for path in sorted(CORPUS.rglob("*tfevents*")):
        for event in EventFileLoader(str(path)).Load():
            for value in event.summary.value:
                data = value.metadata.plugin_data
                if data.plugin_name == "hparams":
                    said = MessageToDict(HParamsPluginData.FromString(data.content), preserving_proto_field_name=True)
                    run = path.parent.relative_to(CORPUS).as_posix()
                    found.setdefault(run, []).append({"tag": value.tag, "content": data.content.hex(), "says": said})
    keep(FILE, found)


if __name__ == "__main__":
    main()
