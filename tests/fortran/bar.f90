! The bar of examples/write_series.cpp in Fortran, call for call: the files are to be equal byte for byte.
!   mpirun -n 2 weft_fortran_bar bar.h5
program bar
  use, intrinsic :: iso_fortran_env, only: int8, real64
  use mpi_f08
  use weft
  implicit none
  integer, parameter :: points = 1000, line = 3
  type(weft_series) :: out
  real(real64), allocatable :: coordinates(:, :), heat(:)
  integer(int8), allocatable :: material(:)
  integer, allocatable :: ends(:, :)
  integer :: rank, ranks, more, mine, first, cells, step, i
  character(256) :: path, filters

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, path)
  call get_command_argument(2, filters)
  more = mod(points, ranks)
  mine = points / ranks + merge(1, 0, rank < more)
  first = points / ranks * rank + min(rank, more)
  cells = merge(mine - 1, mine, first + mine == points)

  allocate (coordinates(3, mine), heat(mine), material(cells), ends(2, cells))
  coordinates = 0
  coordinates(1, :) = [(0.1d0 * (first + i), i = 0, mine - 1)]
  material = 1
  ends(1, :) = [(first + i, i = 1, cells)]
  ends(2, :) = ends(1, :) + 1

  call out%set('steps', '50')
  call out%set('time_units', 'ms')
  call out%mesh(points, coordinates, line, ends)
  call out%field('heat', [points], units='K', filters=trim(filters))
  call out%field('material', [points - 1], 'uint8', support='cells')
  call out%field('energy', units='J')
  call out%create(path, MPI_COMM_WORLD)
  do step = 0, 49
    heat = [(sin(0.01d0 * (first + i) + 0.1d0 * step), i = 0, mine - 1)]
    call out%put('heat', heat)
    call out%put('material', material)
    call out%put('energy', real(step, real64))
    call out%end_step(0.5d0 * step)
  end do
  call out%close()
  call MPI_Finalize()
end program
