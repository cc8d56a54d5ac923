"""Run by itself with the package `tecio` on PYTHONPATH: what it reads of a Tecplot file, as an .npz file.

It stands apart because the other reader of the tests has the same module name.
"""

import sys

import numpy as np
import tecio

source, out = sys.argv[1:]
file = tecio.TecplotFile(source)
arrays = {"variables": np.array(list(file.variables)), "times": np.array([zone.solution_time for zone in file.zones])}
for zone in range(len(file.zones)):
    for number, name in enumerate(file.variables):
        arrays[f"{zone} {name}"] = file.get_data(zone, number)
        stored = list(file.data[zone].ivar_zone)  # the others are shared with a zone before
        if number in stored:
            arrays[f"{zone} {name} range"] = np.array(file.data[zone].min_max[stored.index(number)])
    elements = file.get_connect(zone)
    if elements is not None:
        arrays[f"{zone} elements"] = np.array(elements)
np.savez(out, **arrays)
