! netCDF-Fortran writes a field over an unlimited time, a step at a time.
program netcdf_steps
  use netcdf
  implicit none
  integer :: file, time_dimension, node_dimension, field, times, step, node
  real(8) :: values(600), back(600)
  character(len=256) :: path
  call get_command_argument(1, path)
  call check(nf90_create(trim(path), ior(nf90_netcdf4, nf90_clobber), file))
  call check(nf90_def_dim(file, "node", 600, node_dimension))
  call check(nf90_def_dim(file, "time", nf90_unlimited, time_dimension))
  call check(nf90_def_var(file, "V", nf90_double, [node_dimension, time_dimension], field, chunksizes=[100, 20]))
  call check(nf90_def_var(file, "time", nf90_double, [time_dimension], times))
  call check(nf90_put_att(file, times, "units", "ms"))
  call check(nf90_enddef(file))
  do step = 1, 90
    values = [(node + 0.25d0 * step, node = 1, 600)]
    call check(nf90_put_var(file, field, values, start=[1, step], count=[600, 1]))
    call check(nf90_put_var(file, times, [0.5d0 * step], start=[step], count=[1]))
  end do
  call check(nf90_get_var(file, field, back, start=[1, 45], count=[600, 1]))
  print *, sum(back)
  call check(nf90_close(file))
contains
  subroutine check(status)
    integer, intent(in) :: status
    if (status /= nf90_noerr) stop 3
  end subroutine
end program
