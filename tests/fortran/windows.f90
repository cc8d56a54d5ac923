! Twenty-one steps in several windows, for tests that kill it: v(node) = 1000 step + node - 1, as tests/c/windows.c.
!   mpirun -n 2 weft_fortran_windows FILE
program windows
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use weft
  implicit none
  integer, parameter :: nodes = 211, steps = 21
  type(weft_series) :: out
  integer, allocatable :: mine(:)
  integer :: rank, ranks, step, node
  character(256) :: path

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, path)
  mine = [(node, node = rank + 1, nodes, ranks)]  ! scattered
  call out%set('steps', '21')
  call out%set('budget', '30KiB')
  call out%field('v', [nodes])
  call out%set_field('v', 'target', '2KiB')
  call out%own_ids('v', mine)
  call out%create(path, MPI_COMM_WORLD)
  do step = 0, steps - 1
    call out%put('v', 1000.0_real64 * step + mine - 1)
    call out%end_step(real(step, real64))
  end do
  call out%close()
  call MPI_Finalize()
end program
