"""Run by itself with the package `tecio` on PYTHONPATH: what it reads of a Tecplot file, as an .npz file.

It stands apart because the other reader of the tests has the same module name.
"""

import shutil
import sys
import types

import numpy as np

# What tecio 2.0.6 takes from distutils, which Python 3.12 no longer has.
spawn = types.ModuleType("distutils.spawn")
spawn.find_executable = shutil.which  # type: ignore[attr-defined]
sys.modules.setdefault("distutils", types.ModuleType("distutils"))
sys.modules.setdefault("distutils.spawn", spawn)

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
