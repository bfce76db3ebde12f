"""The corpus of embeddings, unpacked once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.projector_logs import unpack_corpus

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack_corpus(tmp_path_factory.mktemp("projector"))
