! weft_between - what the two languages see differently: texts, orders, types and errors.
module weft_between
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use weft_c
  implicit none
  private
  public :: c, reversed, number_of, done, refused, below_one, TYPES

  character(7), parameter :: TYPES(5) = ['float32', 'float64', 'int32  ', 'int64  ', 'uint8  ']  ! WEFT_FLOAT32, ...

contains

  pure function c(text) result(ended)
    character(*), intent(in) :: text
    character(len_trim(text) + 1, kind=c_char) :: ended
    ended = trim(text) // c_null_char
  end function

  pure function reversed(numbers)
    integer(c_int64_t), intent(in) :: numbers(:)
    integer(c_int64_t) :: reversed(size(numbers))
    reversed = numbers(size(numbers):1:-1)
  end function

  ! 0 for a word that is no type.
  integer(c_int) function number_of(dtype) result(number)
    character(*), intent(in), optional :: dtype
    number = WEFT_FLOAT64
    if (.not. present(dtype)) return
    do number = size(TYPES, kind=c_int), 1, -1
      if (TYPES(number) == dtype) return
    end do
  end function

  subroutine done(status, stat, errmsg)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = status
    if (status /= WEFT_OK) call failed(last_line(), status, stat, errmsg)
  end subroutine

  ! What is found out here, where numbers begin with 1, is said as C says its errors.
  subroutine refused(line, stat, errmsg)
    character(*), intent(in) :: line
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call failed(line, WEFT_USAGE, stat, errmsg)
  end subroutine

  subroutine failed(line, status, stat, errmsg)
    character(*), intent(in) :: line
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(errmsg)) errmsg = line
    if (present(stat)) then
      stat = status
      return
    end if
    write (error_unit, '(2a)') 'weft: error: ', line
    flush (error_unit)
    call end_program(1_c_int)
  end subroutine

  ! Whether one of these numbers ('node', 'step', ...) is below 1, and is refused for it.
  logical function below_one(name, what, numbers, stat, errmsg)
    character(*), intent(in) :: name, what
    integer, intent(in) :: numbers(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(24) :: number
    below_one = any(numbers < 1)
    if (.not. below_one) return
    write (number, '(i0)') minval(numbers)
    call refused('field ' // trim(name) // ': ' // what // ' ' // trim(number) // ': is not possible; numbers begin with 1', &
                 stat, errmsg)
  end function

  function last_line() result(line)
    character(:), allocatable :: line
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: text
    integer :: i
    text = weft_last_error()
    call c_f_pointer(text, letters, [strlen(text)])
    allocate (character(size(letters)) :: line)
    do i = 1, size(letters)
      line(i:i) = letters(i)
    end do
    ! Handles are nothing that a Fortran program gives.
    if (index(line, 'writer: is NULL') == 1) line = 'no series is open: call create or append first'
    if (index(line, 'reader: is NULL') == 1) line = 'no file is open: call open first'
  end function
end module
