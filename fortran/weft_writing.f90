! weft_writing - type(weft_series): what a series is to be, and its steps (module weft).
module weft_writing
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use weft_c
  use weft_between
  implicit none
  private
  public :: weft_series

  ! A series that is being written.
  type :: weft_series
    private
    type(c_ptr) :: spec = c_null_ptr, writer = c_null_ptr
  contains
    procedure :: set, field, set_field, own_box, own_ids, grid, mesh
    procedure :: create, append, end_step, flush => flush_steps, next_step, close => close_series, abandon
    procedure, private :: spec_of, is_made
    procedure, private :: put_r4, put_r8, put_i4, put_i8, put_i1
    generic :: put => put_r4, put_r8, put_i4, put_i8, put_i1
  end type

contains

  ! ---- what a series is to be ----------------------------------------------------------------------------------------

  ! An option of the series by its name and a text: 'steps', 'time_units', 'budget', ... (weft.h lists them).
  subroutine set(self, name, text, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name, text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (self%is_made(stat, errmsg)) return
    call done(weft_set(self%spec_of(), c(name), c(text)), stat, errmsg)
  end subroutine

  ! A field of this shape of one step, over all ranks, the node last; without a shape, one number a step.
  ! dtype: 'float64' (as without it), 'float32', 'int64', 'int32', 'uint8'. The others are options as in set_field.
  subroutine field(self, name, shape, dtype, units, support, filters, reads, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in), optional :: shape(:)
    character(*), intent(in), optional :: dtype, units, support, filters, reads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: extents(:)
    integer(c_int) :: status
    if (self%is_made(stat, errmsg)) return
    allocate (extents(0))
    if (present(shape)) then
      if (below_one(name, 'an extent of', shape, stat, errmsg)) return
    end if
    if (number_of(dtype) == 0) then
      call refused('field ' // trim(name) // ": the type '" // trim(dtype) // "': is not known; use float64, float32, int64, " // &
                   'int32 or uint8', stat, errmsg)
      return
    end if
    if (present(shape)) extents = reversed(int(shape, c_int64_t))
    status = weft_add_field(self%spec_of(), c(name), number_of(dtype), size(extents, kind=c_int), extents)
    call also('units', units)
    call also('support', support)
    call also('filters', filters)
    call also('reads', reads)
    call done(status, stat, errmsg)
  contains
    subroutine also(option, text)
      character(*), intent(in) :: option
      character(*), intent(in), optional :: text
      if (present(text) .and. status == WEFT_OK) status = weft_set_field(self%spec, c(name), c(option), c(text))
    end subroutine
  end subroutine

  ! An option of a field by its name and a text (weft.h). A chunk is written as weft.h has it: steps first, node, components.
  subroutine set_field(self, name, option, text, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name, option, text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (self%is_made(stat, errmsg)) return
    call done(weft_set_field(self%spec_of(), c(name), c(option), c(text)), stat, errmsg)
  end subroutine

  ! This rank holds the box that begins at `start` (from 1) and has `count` elements along each axis.
  subroutine own_box(self, name, start, count, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: start(:), count(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (self%is_made(stat, errmsg)) return
    if (below_one(name, 'a start of', start, stat, errmsg)) return
    call done(weft_own_boxes(self%spec_of(), c(name), 1_c_size_t, reversed(int(start, c_int64_t) - 1), &
                             reversed(int(count, c_int64_t))), stat, errmsg)
  end subroutine

  ! This rank holds these nodes (from 1), in this order. Where ghosts(i), node i is another rank's, and is skipped.
  subroutine own_ids(self, name, ids, ghosts, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: ids(:)
    logical, intent(in), optional :: ghosts(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int8_t), allocatable, target :: ghost(:)
    type(c_ptr) :: of_ghosts
    if (self%is_made(stat, errmsg)) return
    if (below_one(name, 'node', ids, stat, errmsg)) return
    of_ghosts = c_null_ptr
    if (present(ghosts)) then
      allocate (ghost(size(ghosts)))
      ghost(:) = merge(1_c_int8_t, 0_c_int8_t, ghosts)
      of_ghosts = c_loc(ghost)
    end if
    call done(weft_own_ids(self%spec_of(), c(name), size(ids, kind=c_size_t), int(ids, c_int64_t) - 1, of_ghosts), &
              stat, errmsg)
  end subroutine

  ! A regular grid of [nx, ny] or [nx, ny, nz] nodes under all fields; origin and spacing along x, y and z [0 and 1].
  subroutine grid(self, shape, origin, spacing, stat, errmsg)
    class(weft_series), intent(inout) :: self
    integer, intent(in) :: shape(:)
    real(real64), intent(in), optional :: origin(3), spacing(3)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double) :: from(3), apart(3)
    if (self%is_made(stat, errmsg)) return
    from = 0
    apart = 1
    if (present(origin)) from = origin
    if (present(spacing)) apart = spacing
    call done(weft_set_grid(self%spec_of(), size(shape, kind=c_int), reversed(int(shape, c_int64_t)), from, apart), stat, errmsg)
  end subroutine

  ! A mesh of `total` points under all fields, in parts: this rank's points (3, :), an even share in order, or those that
  ! `ids` names; its cells, of one of VTK's types (10: tetrahedra), as the numbers of their points (points of a cell, :).
  subroutine mesh(self, total, points, cell_type, cells, ids, stat, errmsg)
    class(weft_series), intent(inout) :: self
    integer, intent(in) :: total, cell_type, cells(:, :)
    real(real64), intent(in) :: points(:, :)
    integer, intent(in), optional :: ids(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: numbers(:)
    type(c_ptr) :: of_ids
    if (self%is_made(stat, errmsg)) return
    of_ids = c_null_ptr
    if (present(ids)) then
      allocate (numbers(size(ids)))
      numbers(:) = ids - 1_c_int64_t
      of_ids = c_loc(numbers)
    end if
    call done(weft_set_mesh(self%spec_of(), int(total, c_int64_t), size(points, 2, kind=c_size_t), of_ids, &
                            reshape(points, [size(points)]), size(cells, 2, kind=c_size_t), &
                            spread(int(cell_type, c_int8_t), 1, size(cells, 2)), &
                            spread(size(cells, 1, kind=c_int64_t), 1, size(cells, 2)), &
                            reshape(int(cells, c_int64_t) - 1, [size(cells)])), stat, errmsg)
  end subroutine

  ! ---- writing -------------------------------------------------------------------------------------------------------

  ! Makes the file. comm: of module mpi (an integer) or of mpi_f08 (type(MPI_Comm)); without it, this process alone.
  subroutine create(self, path, comm, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: path
    type(*), intent(in), optional :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    if (self%is_made(stat, errmsg)) return
    if (present(comm)) then
      status = weft_create_f(self%spec_of(), c(path), weft_fortran_handle(comm), self%writer)
    else
      status = weft_create(self%spec_of(), c(path), self%writer)
    end if
    call done(status, stat, errmsg)
  end subroutine

  ! Goes on behind the committed steps of a series, or with step from_step (from 1), and drops those behind it.
  subroutine append(self, path, comm, from_step, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: path
    type(*), intent(in), optional :: comm
    integer, intent(in), optional :: from_step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    character(24) :: number
    if (self%is_made(stat, errmsg)) return
    status = WEFT_OK
    if (present(from_step)) then
      write (number, '(i0)') from_step - 1
      status = weft_set(self%spec_of(), c('from_step'), c(number))
    end if
    if (status == WEFT_OK .and. present(comm)) then
      status = weft_append_f(self%spec_of(), c(path), weft_fortran_handle(comm), self%writer)
    else if (status == WEFT_OK) then
      status = weft_append(self%spec_of(), c(path), self%writer)
    end if
    call done(status, stat, errmsg)
  end subroutine

  ! Ends the step. Times rise.
  subroutine end_step(self, time, stat, errmsg)
    class(weft_series), intent(inout) :: self
    real(real64), intent(in) :: time
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_end_step(self%writer, time), stat, errmsg)
  end subroutine

  ! All steps so far are on the disk when it returns.
  subroutine flush_steps(self, stat, errmsg)
    class(weft_series), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_flush(self%writer), stat, errmsg)
  end subroutine

  ! The number of the current step, from 1; 0 where there is no series.
  integer(int64) function next_step(self)
    class(weft_series), intent(in) :: self
    if (weft_next_step(self%writer, next_step) == WEFT_OK) then
      next_step = next_step + 1
    else
      next_step = 0
    end if
  end function

  ! Writes all steps and ends the series; what was said of it is forgotten, also where it fails.
  subroutine close_series(self, stat, errmsg)
    class(weft_series), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    status = weft_close(self%writer)
    call forget(self)
    call done(status, stat, errmsg)
  end subroutine

  ! Ends a series that has failed: committed steps stay in the file, others are dropped.
  subroutine abandon(self)
    class(weft_series), intent(inout) :: self
    call weft_abandon(self%writer)
    call forget(self)
  end subroutine

  subroutine forget(self)
    class(weft_series), intent(inout) :: self
    call weft_spec_free(self%spec)
    self%spec = c_null_ptr
    self%writer = c_null_ptr
  end subroutine

  ! Whether the file is there already, and what was called for a series to be is refused for it.
  logical function is_made(self, stat, errmsg)
    class(weft_series), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    is_made = c_associated(self%writer)
    if (is_made) call refused('the series is being written already; call close first', stat, errmsg)
  end function

  type(c_ptr) function spec_of(self)
    class(weft_series), intent(inout) :: self
    if (.not. c_associated(self%spec)) self%spec = weft_spec_new()
    spec_of = self%spec
  end function

  ! put(name, values): this rank's values of a field for the current step, an array of any rank; they are copied. The values
  ! of a 'uint8' are those of an integer(int8), bit for bit.

  subroutine put_r4(self, name, values, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name
    real(real32), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_put(self%writer, c(name), WEFT_FLOAT32, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine put_r8(self, name, values, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_put(self%writer, c(name), WEFT_FLOAT64, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine put_i4(self, name, values, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_put(self%writer, c(name), WEFT_INT32, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine put_i8(self, name, values, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_put(self%writer, c(name), WEFT_INT64, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine put_i1(self, name, values, stat, errmsg)
    class(weft_series), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int8), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call done(weft_put(self%writer, c(name), WEFT_UINT8, c_loc(values), size(values, kind=c_size_t)), stat, errmsg)
  end subroutine
end module
