"""The cells of the table that are known to be WRONG, each with the reason as docs/readers.md gives it.

The test fails over any other, and over one that is here and no longer wrong.
"""

from __future__ import annotations

from kinds import CONTENTS, FILTERS, HISTORIES, Kind

VIRTUAL = (
    "They do not know virtual datasets: they make a reference to no chunk, and zarr shows the fill value (NaN; 0 for "
    "`beats`) everywhere. The segments, `/weft/segments/0/V` and so on, they read."
)
NO_FILTER = (
    "It has no such filter, prints HDF5's error on the console alone, and returns an array of whatever was in memory."
)


def _virtual(kind: Kind) -> bool:
    return kind.name in ("ended early", "grown", "appended", "killed, grown", "grown, deflate", "maps", "grid maps")


KNOWN_WRONG: dict[tuple[str, str], str] = {
    **{
        (reader, kind.name): VIRTUAL
        for kind in HISTORIES + FILTERS + CONTENTS
        if _virtual(kind)
        for reader in ("VirtualiZarr", "kerchunk")
    },
    **{("h5wasm", kind): NO_FILTER for kind in ("zstd", "lzf")},
}
