program consumer
  use weft
  implicit none
  type(weft_series) :: out
  type(weft_file) :: in
  double precision :: back(3)
  call out%field('V', [3])
  call out%create('fortran.h5')
  call out%put('V', [1d0, 2d0, 3d0])
  call out%end_step(0d0)
  call out%close()
  call in%open('fortran.h5')
  call in%snapshot('V', 1, back)
  call in%close()
  if (back(3) /= 3) error stop
end program
