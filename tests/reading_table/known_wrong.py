"""The cells of the table that are known to be WRONG, each with the reason as docs/readers.md gives it.

The test fails over any other, and over one that is here and no longer wrong.
"""

from __future__ import annotations

NO_FILTER = (
    "It has no such filter, prints HDF5's error on the console alone, and returns an array of whatever was in memory."
)

KNOWN_WRONG: dict[tuple[str, str], str] = {("h5wasm", kind): NO_FILTER for kind in ("zstd", "lzf")}
