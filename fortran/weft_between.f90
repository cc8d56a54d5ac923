! weft_between - what the two languages see differently: texts, orders, types and errors.
module weft_between
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use weft_c
  implicit none
  private
  public :: c, reversed, number_of, done, TYPES

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

  ! 0 for a word that is no type, which weft_add_field then refuses.
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
    if (present(errmsg) .and. status /= WEFT_OK) errmsg = last_line()
    if (status == WEFT_OK .or. present(stat)) return
    write (error_unit, '(2a)') 'weft: error: ', last_line()
    flush (error_unit)
    call end_program(1_c_int)
  end subroutine

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
  end function
end module
