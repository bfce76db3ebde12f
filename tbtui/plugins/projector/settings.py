"""Settings of the projector that are kept between sessions."""

from __future__ import annotations

from tbtui.settings.declaration import Setting
from tbtui.settings.kinds import String

EMBEDDING: Setting[str] = Setting("projector.embedding", default="", kind=String())
"""Run and name of the embedding that was shown last, in two lines."""

SETTINGS = (EMBEDDING,)
