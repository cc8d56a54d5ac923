/* Reads what example_c_like_netcdf wrote, by netCDF itself. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status) {
  if (status == NC_NOERR) return;
  fprintf(stderr, "%s\n", nc_strerror(status));
  exit(1);
}

int main(int argc, char** argv) {
  int file, field, time, dims[NC_MAX_VAR_DIMS], axes;
  char name[NC_MAX_NAME + 1], *units, *time_units;
  float value;
  double hour;
  if (argc != 2) return 2;
  check(nc_open(argv[1], NC_NOWRITE, &file));
  check(nc_inq_varid(file, "t2m", &field));
  check(nc_inq_varndims(file, field, &axes));
  check(nc_inq_vardimid(file, field, dims));
  for (int axis = 0; axis < axes; ++axis) {
    size_t length;
    check(nc_inq_dim(file, dims[axis], name, &length));
    printf("%s=%zu ", name, length);
  }
  check(nc_get_att_string(file, field, "units", &units));
  check(nc_inq_varid(file, "time", &time));
  check(nc_get_att_string(file, time, "units", &time_units));
  check(nc_get_var1_float(file, field, (size_t[]){40, 30, 7}, &value));
  check(nc_get_var1_double(file, time, (size_t[]){40}, &hour));
  printf("%s %.1f %s %g %s\n", name, value, units, hour, time_units);
  check(nc_close(file));
  return 0;
}
