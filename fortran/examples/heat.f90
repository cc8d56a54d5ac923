! A rod that cools from its ends, in Fortran: writes a step now and then, and reads a node over time.
!   mpirun -n 2 example_fortran_heat heat.h5
program heat
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  use weft
  implicit none
  integer, parameter :: nodes = 1000, steps = 50
  type(weft_series) :: out
  type(weft_file) :: in
  real(real64), allocatable :: T(:)
  real(real64) :: trace(steps)
  integer :: error, rank, ranks, first, mine, step, i
  character(256) :: path = 'heat.h5'

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  if (command_argument_count() > 0) call get_command_argument(1, path)
  first = nodes * rank / ranks + 1
  mine = nodes * (rank + 1) / ranks - first + 1
  allocate (T(mine))

  call out%set('steps', '50')
  call out%set('time_units', 's')
  call out%field('T', [nodes], units='K')
  call out%own_box('T', [first], [mine])
  call out%create(path, MPI_COMM_WORLD)
  do step = 0, steps - 1
    T = [(exp(-0.1d0 * step) * sin(3.14159d0 * (first + i - 2) / (nodes - 1)), i = 1, mine)]
    call out%put('T', T)
    call out%end_step(0.5d0 * step)
  end do
  call out%close()

  if (rank == 0) then
    call in%open(path)
    call in%trace('T', nodes / 2 + 1, trace)
    call in%close()
    print '(a, f5.3, a, f5.3)', 'the middle cools from ', trace(1), ' to ', trace(steps)
  end if
  call MPI_Finalize(error)
end program
