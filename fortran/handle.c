/* The number in a Fortran communicator. type(MPI_Comm) of mpi_f08 is a struct of that one integer (MPI 3.1, 17.2.5), so
 * that both kinds begin with it. */
int weft_fortran_handle(const int* comm);
int weft_fortran_handle(const int* comm) { return *comm; }
