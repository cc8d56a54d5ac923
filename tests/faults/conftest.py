from __future__ import annotations

import pytest
from killing import Killer


@pytest.fixture(scope="session")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Killer:
    return Killer(tmp_path_factory.mktemp("library"))
