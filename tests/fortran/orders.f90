! What the Fortran side adds to weft.h: orders, numbers from 1, strided arrays, ghosts, types, errors; on one rank.
program orders
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use weft
  implicit none
  type(weft_series) :: out
  type(weft_file) :: in
  real(real64) :: v(3, 5), wide(6, 5), back(3, 5), trace(3, 4), box(2, 2, 3), times(4)
  real(real32) :: f(4, 3, 2), f_back(4, 3, 2)
  integer(int64) :: steps
  integer :: status, step, i
  character(300) :: line
  character(256) :: path

  call get_command_argument(1, path)
  call out%field('v', [3, 5], units='m/s')
  call out%own_ids('v', [5, 4, 3, 2, 1], ghosts=[.false., .false., .false., .false., .false.])
  call out%field('f', [4, 3, 2], 'float32')
  call out%field('n', dtype='int32')
  call out%field('n', dtype='int32', stat=status, errmsg=line)
  call expect(status == 1 .and. line == "field 'n': was added already", line)
  call out%create(trim(path) // '/no/such/folder.h5', stat=status, errmsg=line)
  call expect(status == 3, line)
  call out%create(path)
  call expect(out%next_step() == 1, 'next_step')
  do step = 1, 4
    v = reshape([(100d0 * step + i, i = 1, 15)], [3, 5])
    wide = -1
    wide(1:6:2, :) = v(:, 5:1:-1)              ! own_ids has the nodes from behind
    call out%put('v', wide(1:6:2, :))          ! not contiguous
    f = reshape([(10.0 * step + i, i = 1, 24)], [4, 3, 2])
    call out%put('f', f)
    call out%put('n', int(step, int32))
    if (step == 2) then
      call out%put('f', v, stat=status, errmsg=line)
      call expect(status == 1 .and. index(line, 'float32') > 0, line)
    end if
    if (step == 2) exit
    call out%end_step(0.5d0 * step)
  end do
  call out%set('steps', '9', stat=status, errmsg=line)
  call expect(status == 1 .and. line == 'the series is being written already; call close first', line)
  call out%create(path, stat=status)
  call expect(status == 1, 'created twice')
  call out%abandon()
  call out%put('f', f, stat=status, errmsg=line)
  call expect(status == 1 .and. line == 'no series is open: call create or append first', line)
  call out%field('x', [-3, 5], stat=status, errmsg=line)
  call expect(status == 1 .and. line == 'field x: an extent of -3: is not possible; numbers begin with 1', line)
  call out%field('x', [3, 5], dtype='real8', stat=status, errmsg=line)
  call expect(status == 1 .and. index(line, "field x: the type 'real8': is not known; use float64") == 1, line)
  call out%field('x', [5])
  call out%own_ids('x', [0], stat=status, errmsg=line)
  call expect(status == 1 .and. line == 'field x: node 0: is not possible; numbers begin with 1', line)
  call out%abandon()

  call out%field('v', [3, 5])
  call out%create(path)
  do step = 1, 3
    call out%put('v', reshape([(100d0 * step + i, i = 1, 15)], [3, 5]))
    call out%end_step(0.5d0 * step)
  end do
  call out%close()
  call out%append(path, from_step=3)           ! step 3 again, and one more
  call expect(out%next_step() == 3, 'next_step behind append')
  do step = 3, 4
    call out%put('v', reshape([(100d0 * step + i, i = 1, 15)], [3, 5]))
    call out%end_step(0.5d0 * step)
  end do
  call out%close()

  call in%open(path)
  call in%follow(3_int64, 1d0, steps)
  call expect(steps == 4 .and. in%committed() == 4, 'steps')
  call expect(all(in%shape_of('v') == [3, 5]) .and. in%type_of('v') == 'float64', 'shape')
  call expect(in%type_of('w') == '' .and. size(in%shape_of('w')) == 0, 'no such field')
  call in%snapshot('v', 4, back)
  call expect(all(back == reshape([(400d0 + i, i = 1, 15)], [3, 5])), 'snapshot')
  call in%trace('v', 2, trace)
  call expect(all(trace(:, 3) == [304, 305, 306]), 'trace')
  call in%read('v', [2, 4, 1], [2, 2, 3], box)
  call expect(all(box(:, 2, 1) == [114, 115]) .and. box(1, 1, 3) == 311, 'box')
  call in%times(times)
  call expect(all(times == [0.5d0, 1d0, 1.5d0, 2d0]), 'times')
  call in%snapshot('v', 5, back, stat=status, errmsg=line)
  call expect(status == 1, line)
  call in%snapshot('v', 1, f_back, stat=status)
  call expect(status == 1, 'a wrong type')
  call in%snapshot('v', 0, back, stat=status, errmsg=line)
  call expect(status == 1 .and. line == 'field v: step 0: is not possible; numbers begin with 1', line)
  call in%trace('v', -2, trace, stat=status, errmsg=line)
  call expect(status == 1 .and. line == 'field v: node -2: is not possible; numbers begin with 1', line)
  call in%close()
  print '(a)', 'all as expected'
  call in%open(trim(path) // '.none')           ! without stat: one line, and the end
  print '(a)', 'not reached'

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(2a)', 'wrong: ', what
    error stop
  end subroutine
end program
