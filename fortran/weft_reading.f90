! weft_reading - type(weft_file): steps, traces and boxes of a file (module weft).
module weft_reading
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use weft_c
  use weft_between
  implicit none
  private
  public :: weft_file

  ! A file that is read: a series, or any file whose steps Weft knows.
  type :: weft_file
    private
    type(c_ptr) :: reader = c_null_ptr
  contains
    procedure :: open => open_file, close => close_file, committed, follow, times, shape_of, type_of
    procedure, private :: snapshot_r4, snapshot_r8, snapshot_i4, snapshot_i8, snapshot_i1
    generic :: snapshot => snapshot_r4, snapshot_r8, snapshot_i4, snapshot_i8, snapshot_i1
    procedure, private :: trace_r4, trace_r8, trace_i4, trace_i8, trace_i1
    generic :: trace => trace_r4, trace_r8, trace_i4, trace_i8, trace_i1
    procedure, private :: read_r4, read_r8, read_i4, read_i8, read_i1
    generic :: read => read_r4, read_r8, read_i4, read_i8, read_i1
  end type

contains

  subroutine open_file(self, path, stat, errmsg)
    class(weft_file), intent(inout) :: self
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%close()
    call done(weft_open(c(path), self%reader), stat, errmsg)
  end subroutine

  subroutine close_file(self)
    class(weft_file), intent(inout) :: self
    call weft_close_reader(self%reader)
    self%reader = c_null_ptr
  end subroutine

  ! How many steps there are; 0 where no file is open.
  integer(int64) function committed(self)
    class(weft_file), intent(in) :: self
    if (weft_committed(self%reader, committed) /= WEFT_OK) committed = 0
  end function

  ! Looks again until more than `after` steps are there, or so many seconds are over; then steps is how many there are.
  subroutine follow(self, after, timeout, steps, stat, errmsg)
    class(weft_file), intent(inout) :: self
    integer(int64), intent(in) :: after
    real(real64), intent(in) :: timeout
    integer(int64), intent(out) :: steps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_follow(self%reader, after, timeout, steps), stat, errmsg)
  end subroutine

  ! The times of the first size(values) steps.
  subroutine times(self, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    real(real64), intent(out), contiguous :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_times(self%reader, size(values, kind=c_size_t), values), stat, errmsg)
  end subroutine

  ! The shape of one step of a field, the node last; of no axes for one number a step, and where there is no such field.
  function shape_of(self, name) result(shape)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), allocatable :: shape(:)
    integer(c_int64_t) :: extents(WEFT_MAX_RANK)
    integer(c_int) :: dtype, rank
    if (weft_field_shape(self%reader, c(name), dtype, rank, extents) /= WEFT_OK) rank = 0
    shape = reversed(extents(:rank))
  end function

  ! 'float64', ...; '' where there is no such field.
  function type_of(self, name) result(dtype)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    character(:), allocatable :: dtype
    integer(c_int64_t) :: extents(WEFT_MAX_RANK)
    integer(c_int) :: number, rank
    dtype = ''
    if (weft_field_shape(self%reader, c(name), number, rank, extents) == WEFT_OK) dtype = trim(TYPES(number))
  end function

  ! snapshot(name, step, values): one step. trace(name, node, values): all steps of a node, values(components, steps); on a
  ! grid `node` is a plane of z. read(name, start, count, values): a box, whose last axis are the steps. The values have the
  ! field's own type, and exactly its number of elements.

  subroutine snapshot_r4(self, name, step, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: step
    real(real32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'step', [step], stat, errmsg)) return
    call done(weft_snapshot(self%reader, c(name), step - 1_c_int64_t, WEFT_FLOAT32, c_loc(values), &
                            size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine trace_r4(self, name, node, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: node
    real(real32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'node', [node], stat, errmsg)) return
    call done(weft_trace(self%reader, c(name), node - 1_c_int64_t, WEFT_FLOAT32, c_loc(values), &
                         size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine read_r4(self, name, start, count, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: start(:), count(:)
    real(real32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'a start of', start, stat, errmsg)) return
    call done(weft_read(self%reader, c(name), reversed(int(start, c_int64_t) - 1), reversed(int(count, c_int64_t)), &
                        WEFT_FLOAT32, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine snapshot_r8(self, name, step, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: step
    real(real64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'step', [step], stat, errmsg)) return
    call done(weft_snapshot(self%reader, c(name), step - 1_c_int64_t, WEFT_FLOAT64, c_loc(values), &
                            size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine trace_r8(self, name, node, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: node
    real(real64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'node', [node], stat, errmsg)) return
    call done(weft_trace(self%reader, c(name), node - 1_c_int64_t, WEFT_FLOAT64, c_loc(values), &
                         size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine read_r8(self, name, start, count, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: start(:), count(:)
    real(real64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'a start of', start, stat, errmsg)) return
    call done(weft_read(self%reader, c(name), reversed(int(start, c_int64_t) - 1), reversed(int(count, c_int64_t)), &
                        WEFT_FLOAT64, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine snapshot_i4(self, name, step, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: step
    integer(int32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'step', [step], stat, errmsg)) return
    call done(weft_snapshot(self%reader, c(name), step - 1_c_int64_t, WEFT_INT32, c_loc(values), &
                            size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine trace_i4(self, name, node, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: node
    integer(int32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'node', [node], stat, errmsg)) return
    call done(weft_trace(self%reader, c(name), node - 1_c_int64_t, WEFT_INT32, c_loc(values), &
                         size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine read_i4(self, name, start, count, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: start(:), count(:)
    integer(int32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'a start of', start, stat, errmsg)) return
    call done(weft_read(self%reader, c(name), reversed(int(start, c_int64_t) - 1), reversed(int(count, c_int64_t)), &
                        WEFT_INT32, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine snapshot_i8(self, name, step, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: step
    integer(int64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'step', [step], stat, errmsg)) return
    call done(weft_snapshot(self%reader, c(name), step - 1_c_int64_t, WEFT_INT64, c_loc(values), &
                            size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine snapshot_i1(self, name, step, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: step
    integer(int8), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'step', [step], stat, errmsg)) return
    call done(weft_snapshot(self%reader, c(name), step - 1_c_int64_t, WEFT_UINT8, c_loc(values), &
                            size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine trace_i8(self, name, node, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: node
    integer(int64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'node', [node], stat, errmsg)) return
    call done(weft_trace(self%reader, c(name), node - 1_c_int64_t, WEFT_INT64, c_loc(values), &
                         size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine trace_i1(self, name, node, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: node
    integer(int8), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'node', [node], stat, errmsg)) return
    call done(weft_trace(self%reader, c(name), node - 1_c_int64_t, WEFT_UINT8, c_loc(values), &
                         size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine read_i8(self, name, start, count, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: start(:), count(:)
    integer(int64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'a start of', start, stat, errmsg)) return
    call done(weft_read(self%reader, c(name), reversed(int(start, c_int64_t) - 1), reversed(int(count, c_int64_t)), &
                        WEFT_INT64, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine read_i1(self, name, start, count, values, stat, errmsg)
    class(weft_file), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: start(:), count(:)
    integer(int8), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (below_one(name, 'a start of', start, stat, errmsg)) return
    call done(weft_read(self%reader, c(name), reversed(int(start, c_int64_t) - 1), reversed(int(count, c_int64_t)), &
                        WEFT_UINT8, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine
end module
