"""Write sessions with hyperparameters into event files, as PyTorch and TensorFlow write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import FILE, START

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

STATUSES = {"success": 1, "failure": 2, "running": 3}


def log_session(
    root: Path,
    run: str,
    hparams: Mapping[str, float | str | bool] | None = None,
    curves: Mapping[str, Sequence[float]] | None = None,
    *,
    group: str = "",
    status: str = "success",
    metrics: Sequence[str] = (),
    file: str = FILE,
    start: float = START,
    first_step: int = 0,
) -> None:
    """Append a session and its curves to a run.

    Args:
        root: The log directory.
        run: Name of the run.
        hparams: Hyperparameters; None: no session message.
        curves: Values from `first_step` on, by tag.
        group: Name of the group.
        status: Status at the end; empty: the session does not end.
        metrics: Tags that an experiment message declares; empty: none is written.
        file: Name of the event file.
        start: Wall time of the first value, seconds since the epoch.
        first_step: Step of the first values.
    """
    path = root / run / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=start) as writer:
        if hparams is not None and metrics:
            data: Any = get_message_class("HParamsPluginData")()
            for name in hparams:
                data.experiment.hparam_infos.add(name=name)
            for tag in metrics:
                data.experiment.metric_infos.add().name.tag = tag
            _write(writer, "experiment", data, start)
        if hparams is not None:
            data = get_message_class("HParamsPluginData")()
            data.session_start_info.SetInParent()
            data.session_start_info.group_name = group
            for name, value in hparams.items():
                kind = "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
                setattr(data.session_start_info.hparams[name], f"{kind}_value", value)
            _write(writer, "session_start_info", data, start)
        length = max(map(len, (curves or {}).values()), default=0)
        for step in range(length):
            for tag, values in (curves or {}).items():
                if step < len(values):
                    writer.scalar(tag, values[step], first_step + step, start + step)
        if hparams is not None and status:
            data = get_message_class("HParamsPluginData")()
            data.session_end_info.status = STATUSES[status]
            _write(writer, "session_end_info", data, start + length)


def _write(writer: EventFileWriter, name: str, data: Any, wall_time: float) -> None:
    event: Any = get_message_class("Event")(wall_time=wall_time, step=0)
    value = event.summary.value.add(tag=f"_hparams_/{name}")
    value.metadata.plugin_data.plugin_name = "hparams"
    value.metadata.plugin_data.content = data.SerializeToString()
    writer.event(event)
