! weft - series of a simulation's steps: written from any number of ranks, read as snapshots and as traces.
!
!   type(weft_series) :: out
!   call out%set('steps', '151')
!   call out%field('V', [nodes], 'float64', units='mV')      ! one step, over all ranks
!   call out%own_ids('V', my_nodes)                          ! what this rank holds; without it: an even share
!   call out%create('heart.h5', MPI_COMM_WORLD)              ! or without a communicator, on one rank
!   do step = 1, 151
!     call out%put('V', v)
!     call out%end_step(time)
!   end do
!   call out%close()
!
! Order: shapes and boxes are Fortran's, the node is the last axis: real(8) v(3, nodes) is a field of shape [3, nodes], and
! on a grid f(nx, ny, nz). Readers in C and Python see the same memory as (nodes, 3) and (nz, ny, nx).
! Numbers begin with 1: nodes, steps, corners of boxes. Only the option from_step as a text counts from 0, as the file does.
!
! Errors: every procedure takes stat= (0, or a WEFT_... of module weft_c) and errmsg= (one line, as long as
! your variable: where, what, what to do; untouched where nothing is wrong).
! Without stat= the line is printed and the program ends with status 1; mpirun then ends the other ranks.
! Collective, where there is a communicator: create, append, end_step, flush and close.
module weft
  use weft_reading, only: weft_file
  use weft_writing, only: weft_series
  implicit none
  public
end module
