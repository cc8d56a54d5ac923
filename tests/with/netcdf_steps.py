"""netCDF4-python writes a field over an unlimited time, a step at a time, some of it read back on the way."""

import sys

import netCDF4
import numpy as np

with netCDF4.Dataset(sys.argv[1], "w") as data:
    data.createDimension("time", None)
    data.createDimension("y", 40)
    data.createDimension("x", 50)
    time = data.createVariable("time", "f8", ("time",))
    time.units = "hours since 1990-01-01"
    field = data.createVariable("t2m", "f4", ("time", "y", "x"), chunksizes=(12, 20, 25), zlib=len(sys.argv) > 2)
    packed = data.createVariable("p", "i2", ("time", "y", "x"), fill_value=-999)
    packed.scale_factor = 0.5
    for step in range(100):
        time[step] = step
        field[step] = np.arange(2000, dtype="f4").reshape(40, 50) + step * 7
        packed[step, 3:30] = np.arange(1350).reshape(27, 50) * 0.5
        if step == 50:
            assert field[49, 3, 3] == np.float32(3 * 50 + 3 + 49 * 7)
            data.sync()
    print(float(np.asarray(field[:, 7, 7]).sum()), time[-1])
