! weft_c - weft.h as Fortran sees it; module weft is what programs use.
module weft_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: WEFT_OK = 0, WEFT_USAGE = 1, WEFT_DATA = 2, WEFT_SYSTEM = 3, WEFT_BUG = 4
  integer(c_int), parameter :: WEFT_FLOAT32 = 1, WEFT_FLOAT64 = 2, WEFT_INT32 = 3, WEFT_INT64 = 4, WEFT_UINT8 = 5
  integer, parameter :: WEFT_MAX_RANK = 8

  interface
    type(c_ptr) function weft_last_error() bind(C)
      import
    end function
    type(c_ptr) function weft_spec_new() bind(C)
      import
    end function
    subroutine weft_spec_free(spec) bind(C)
      import
      type(c_ptr), value :: spec
    end subroutine
    integer(c_int) function weft_set(spec, name, text) bind(C)
      import
      type(c_ptr), value :: spec
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function
    integer(c_int) function weft_add_field(spec, field, type, rank, shape) bind(C)
      import
      type(c_ptr), value :: spec
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int), value :: type, rank
      integer(c_int64_t), intent(in) :: shape(*)
    end function
    integer(c_int) function weft_set_field(spec, field, name, text) bind(C)
      import
      type(c_ptr), value :: spec
      character(kind=c_char), intent(in) :: field(*), name(*), text(*)
    end function
    integer(c_int) function weft_own_boxes(spec, field, boxes, start, count) bind(C)
      import
      type(c_ptr), value :: spec
      character(kind=c_char), intent(in) :: field(*)
      integer(c_size_t), value :: boxes
      integer(c_int64_t), intent(in) :: start(*), count(*)
    end function
    integer(c_int) function weft_own_ids(spec, field, rows, ids, ghosts) bind(C)
      import
      type(c_ptr), value :: spec, ghosts
      character(kind=c_char), intent(in) :: field(*)
      integer(c_size_t), value :: rows
      integer(c_int64_t), intent(in) :: ids(*)
    end function
    integer(c_int) function weft_set_grid(spec, rank, shape, origin, spacing) bind(C)
      import
      type(c_ptr), value :: spec
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: shape(*)
      real(c_double), intent(in) :: origin(*), spacing(*)
    end function
    integer(c_int) function weft_set_mesh(spec, total, points, ids, coordinates, cells, types, sizes, connectivity) bind(C)
      import
      type(c_ptr), value :: spec, ids
      integer(c_int64_t), value :: total
      integer(c_size_t), value :: points, cells
      real(c_double), intent(in) :: coordinates(*)
      integer(c_int8_t), intent(in) :: types(*)
      integer(c_int64_t), intent(in) :: sizes(*), connectivity(*)
    end function
    integer(c_int) function weft_create(spec, path, writer) bind(C)
      import
      type(c_ptr), value :: spec
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(out) :: writer
    end function
    integer(c_int) function weft_append(spec, path, writer) bind(C)
      import
      type(c_ptr), value :: spec
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(out) :: writer
    end function
    integer(c_int) function weft_create_f(spec, path, comm, writer) bind(C)
      import
      type(c_ptr), value :: spec
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: writer
    end function
    integer(c_int) function weft_append_f(spec, path, comm, writer) bind(C)
      import
      type(c_ptr), value :: spec
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: writer
    end function
    integer(c_int) function weft_put(writer, field, type, values, count) bind(C)
      import
      type(c_ptr), value :: writer, values
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int), value :: type
      integer(c_size_t), value :: count
    end function
    integer(c_int) function weft_end_step(writer, time) bind(C)
      import
      type(c_ptr), value :: writer
      real(c_double), value :: time
    end function
    integer(c_int) function weft_flush(writer) bind(C)
      import
      type(c_ptr), value :: writer
    end function
    integer(c_int) function weft_next_step(writer, step) bind(C)
      import
      type(c_ptr), value :: writer
      integer(c_int64_t), intent(out) :: step
    end function
    integer(c_int) function weft_close(writer) bind(C)
      import
      type(c_ptr), value :: writer
    end function
    subroutine weft_abandon(writer) bind(C)
      import
      type(c_ptr), value :: writer
    end subroutine
    integer(c_int) function weft_open(path, reader) bind(C)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(out) :: reader
    end function
    subroutine weft_close_reader(reader) bind(C)
      import
      type(c_ptr), value :: reader
    end subroutine
    integer(c_int) function weft_follow(reader, after, timeout_s, committed) bind(C)
      import
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: after
      real(c_double), value :: timeout_s
      integer(c_int64_t), intent(out) :: committed
    end function
    integer(c_int) function weft_committed(reader, steps) bind(C)
      import
      type(c_ptr), value :: reader
      integer(c_int64_t), intent(out) :: steps
    end function
    integer(c_int) function weft_times(reader, count, times) bind(C)
      import
      type(c_ptr), value :: reader
      integer(c_size_t), value :: count
      real(c_double), intent(out) :: times(*)
    end function
    integer(c_int) function weft_field_shape(reader, field, type, rank, shape) bind(C)
      import
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int), intent(out) :: type, rank
      integer(c_int64_t), intent(out) :: shape(*)
    end function
    integer(c_int) function weft_snapshot(reader, field, step, type, values, count) bind(C)
      import
      type(c_ptr), value :: reader, values
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int64_t), value :: step
      integer(c_int), value :: type
      integer(c_size_t), value :: count
    end function
    integer(c_int) function weft_trace(reader, field, node, type, values, count) bind(C)
      import
      type(c_ptr), value :: reader, values
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int64_t), value :: node
      integer(c_int), value :: type
      integer(c_size_t), value :: count
    end function
    integer(c_int) function weft_read(reader, field, start, box_count, type, values, count) bind(C)
      import
      type(c_ptr), value :: reader, values
      character(kind=c_char), intent(in) :: field(*)
      integer(c_int64_t), intent(in) :: start(*), box_count(*)
      integer(c_int), value :: type
      integer(c_size_t), value :: count
    end function
    ! fortran/handle.c: the number in a communicator, an integer (module mpi) or a type(MPI_Comm) (module mpi_f08).
    integer(c_int) function weft_fortran_handle(comm) bind(C)
      import
      type(*), intent(in) :: comm
    end function
    subroutine end_program(status) bind(C, name='exit')
      import
      integer(c_int), value :: status
    end subroutine
    integer(c_size_t) function strlen(text) bind(C)
      import
      type(c_ptr), value :: text
    end function
  end interface
end module
