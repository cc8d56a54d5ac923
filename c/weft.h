/* weft.h - Weft for programs in C, and for every language that can call C. Link libweft.so (CMake: weft::c; pkg-config:
 * weft).
 *
 *   weft_spec *spec = weft_spec_new();                          what the series is to be
 *   weft_set(spec, "steps", "151");
 *   uint64_t shape[] = {nodes};
 *   weft_add_field(spec, "V", WEFT_FLOAT64, 1, shape);          one step of it, over all ranks
 *   weft_own_ids(spec, "V", n, my_nodes, NULL);                 what this rank holds; without it: an even share
 *   weft_writer *out;
 *   if (weft_create_mpi(spec, "heart.h5", MPI_COMM_WORLD, &out)) fail(weft_last_error());
 *   for (each step) {
 *     weft_put(out, "V", WEFT_FLOAT64, v, n);
 *     weft_end_step(out, time);
 *   }
 *   weft_close(out);
 *
 * Every function that returns weft_status returns WEFT_OK or what went wrong; weft_last_error() then has one line:
 * where, what, and what to do. Nothing is printed, nothing is thrown, and no program is ended. A handle is used by one
 * thread at a time; a reader's read functions by several.
 *
 * On ranks: "collective" functions are called by all ranks of the communicator. If one fails on some ranks and not on
 * all (weft_last_error_is_agreed() is 0), the others wait, and the program has to call MPI_Abort.
 *
 * Arrays are in C's order, the node (on a grid z, y, x) before the components. Shapes never count the steps, boxes of
 * weft_read() do, as their first axis.
 *
 * The interface is stable: a program that was built with this header runs with every later libweft.so.0. There are no
 * structs in it but handles, and options are set by name, so that new ones need no new functions.
 */
#ifndef WEFT_H
#define WEFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

typedef int weft_status;
enum {
  WEFT_OK = 0,
  WEFT_USAGE = 1,  /* the caller's mistake: a bad shape, an unknown field, a wrong number of values */
  WEFT_DATA = 2,   /* a file that is not what it should be: truncated, damaged, no series */
  WEFT_SYSTEM = 3, /* the machine said no: disk full, permission denied, no memory */
  WEFT_BUG = 4     /* none of these; please report it */
};

typedef int weft_type;
enum { WEFT_FLOAT32 = 1, WEFT_FLOAT64 = 2, WEFT_INT32 = 3, WEFT_INT64 = 4, WEFT_UINT8 = 5 };

/* The most axes that a step of a field may have. */
#define WEFT_MAX_RANK 8

typedef struct weft_spec weft_spec;
typedef struct weft_writer weft_writer;
typedef struct weft_reader weft_reader;

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* The line of the last call of this thread that failed; "" where none has. Valid until this thread's next call. */
WEFT_API const char* weft_last_error(void);
/* Whether all ranks have that error, so that each may go on or end on its own. */
WEFT_API int weft_last_error_is_agreed(void);
/* "0.1.0", of the library that is linked. */
WEFT_API const char* weft_version(void);

/* ---- what a series is to be -------------------------------------------------------------------------------------- */

/* NULL where there is no memory. A spec may be used for several series, and is freed by weft_spec_free(NULL is fine).
 */
WEFT_API weft_spec* weft_spec_new(void);
WEFT_API void weft_spec_free(weft_spec* spec);

/* Options of the series: steps ("151" or "unknown"), time_units, calendar ("noleap", of times since a date),
 * align, if_exists (replace, fail), attribute.NAME;
 * budget ("256MiB": memory for windows, of each rank), direct (auto, always, never), sync (commit, window, none),
 * commit_every ("60s", "100steps"), commit_on_signals and take_over (yes, no), work. On ranks, too: writers (auto,
 * all, "4/node", "16": the ranks that write), commit_groups ("64": so many nodes say on their own what is committed),
 * strategy (owner, per-step, cached), hint.NAME (of MPI-IO), stripe_count, stripe_size. To append: from_step.
 * align ("4KiB"): chunks that different ranks may write begin at multiples of it; 0, a page where the file system wants
 * it. */
WEFT_API weft_status weft_set(weft_spec* spec, const char* name, const char* value);

/* A field: `shape` has `rank` extents of one step over all ranks, the node first; rank 0: one number a step. */
WEFT_API weft_status weft_add_field(weft_spec* spec, const char* field, weft_type type, int rank,
                                    const uint64_t* shape);
/* Options of a field: support (nodes, cells, global), units, components and component_units ("x,y,z"), filters
 * ("shuffle+deflate:1"), layout (reads, isotropic, rows, given), reads ("snapshot=1,trace=4"), target ("1MiB"), chunk
 * ("19,690", steps first), latency, bandwidth, attribute.NAME. */
WEFT_API weft_status weft_set_field(weft_spec* spec, const char* field, const char* name, const char* value);

/* What this rank holds of a field, in the order in which weft_put() gets it. Without a call it is an even share of the
 * first axis; of a field on cells, the cells that the rank gave to the mesh. For appending, fields are named that the
 * file has, and `shape` is not asked again: declare them with weft_add_field(), too. A box, or several, one array
 * behind the other: `start` and `count` have rank x boxes numbers. */
WEFT_API weft_status weft_own_boxes(weft_spec* spec, const char* field, size_t boxes, const uint64_t* start,
                                    const uint64_t* count);
/* Rows of the first axis by their numbers. Where ghosts[i] is not 0, row i belongs to another rank, and is skipped. */
WEFT_API weft_status weft_own_ids(weft_spec* spec, const char* field, size_t rows, const uint64_t* ids,
                                  const uint8_t* ghosts);

/* A regular grid under all fields: 2 or 3 extents, slowest first; where the first node lies, and how far apart they
 * are, along x, y and z (NULL: at 0, 1 apart). */
WEFT_API weft_status weft_set_grid(weft_spec* spec, int rank, const uint64_t* shape, const double* origin,
                                   const double* spacing);
/* A mesh under all fields, in parts: `total` points in all; the `points` that this rank owns, with x, y, z each, and
 * their numbers (NULL: an even share, in order); its cells: VTK's type of each, how many points each has, and their
 * numbers. The arrays are copied. */
WEFT_API weft_status weft_set_mesh(weft_spec* spec, uint64_t total, size_t points, const uint64_t* ids,
                                   const double* coordinates, size_t cells, const uint8_t* types, const int64_t* sizes,
                                   const int64_t* connectivity);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Makes the file; `*writer` is NULL where it fails. An existing file is unchanged until the new one is complete. */
WEFT_API weft_status weft_create(const weft_spec* spec, const char* path, weft_writer** writer);
/* Goes on with a series behind its committed steps, or at from_step: later steps are dropped. */
WEFT_API weft_status weft_append(const weft_spec* spec, const char* path, weft_writer** writer);
/* The same on the ranks of a communicator, given as Fortran gives it (MPI_Comm_c2f). Collective. */
WEFT_API weft_status weft_create_f(const weft_spec* spec, const char* path, int comm, weft_writer** writer);
WEFT_API weft_status weft_append_f(const weft_spec* spec, const char* path, int comm, weft_writer** writer);

/* The values of this rank for the current step, `count` of them; they are copied. One that is refused changes nothing,
 * and a right one may follow. Not collective. */
WEFT_API weft_status weft_put(weft_writer* writer, const char* field, weft_type type, const void* values, size_t count);
/* Ends the step. Times rise, and are the same on all ranks. Collective. */
WEFT_API weft_status weft_end_step(weft_writer* writer, double time);
/* All steps so far are on the disk when it returns. Collective. */
WEFT_API weft_status weft_flush(weft_writer* writer);
/* The number of the current step. */
WEFT_API weft_status weft_next_step(const weft_writer* writer, uint64_t* step);
/* Writes all steps, ends the series and frees the writer, also where it fails. Collective. NULL is fine. */
WEFT_API weft_status weft_close(weft_writer* writer);
/* Frees a writer that has failed: committed steps stay in the file, others are dropped. Not collective. NULL is fine.
 */
WEFT_API void weft_abandon(weft_writer* writer);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Opens a series of Weft's, or any file whose steps Weft knows (netCDF-4, VTKHDF, openPMD, Chaste). FILE:DATASET names
 * one dataset. `*reader` is NULL where it fails. */
WEFT_API weft_status weft_open(const char* path, weft_reader** reader);
WEFT_API void weft_close_reader(weft_reader* reader);
/* Looks again how far a running simulation has come. */
WEFT_API weft_status weft_reload(weft_reader* reader);
/* Looks again until more than `after` steps are committed, or `timeout_s` seconds are over. */
WEFT_API weft_status weft_follow(weft_reader* reader, uint64_t after, double timeout_s, uint64_t* committed);

WEFT_API weft_status weft_committed(const weft_reader* reader, uint64_t* steps);
/* The times of the first `count` steps. */
WEFT_API weft_status weft_times(const weft_reader* reader, size_t count, double* times);
WEFT_API weft_status weft_field_count(const weft_reader* reader, size_t* fields);
/* The name of field 0, 1, ... and the units of a field, valid as long as the reader; NULL where there is no such field.
 */
WEFT_API const char* weft_field_name(const weft_reader* reader, size_t field);
WEFT_API const char* weft_field_units(const weft_reader* reader, const char* field);
/* What a step of it is. `shape` has room for WEFT_MAX_RANK extents. Any of the three may be NULL. */
WEFT_API weft_status weft_field_shape(const weft_reader* reader, const char* field, weft_type* type, int* rank,
                                      uint64_t* shape);

/* Each fills `count` values of the field's own type, row-major; any other type or count is refused. */
WEFT_API weft_status weft_snapshot(const weft_reader* reader, const char* field, uint64_t step, weft_type type,
                                   void* values, size_t count);
/* A row of the first axis (a node) over all committed steps: steps x components. */
WEFT_API weft_status weft_trace(const weft_reader* reader, const char* field, uint64_t node, weft_type type,
                                void* values, size_t count);
/* A box: 1 + rank numbers each, the steps first. */
WEFT_API weft_status weft_read(const weft_reader* reader, const char* field, const uint64_t* start,
                               const uint64_t* box_count, weft_type type, void* values, size_t count);

/* ---- layout ------------------------------------------------------------------------------------------------------ */

/* The chunk (1 + rank extents, the steps first) that is best for `steps` steps of this shape and for these reads;
 * `reads` NULL: "snapshot=1,trace=1", target_bytes 0: 1 MiB. */
WEFT_API weft_status weft_layout(uint64_t steps, int rank, const uint64_t* shape, weft_type type, const char* reads,
                                 uint64_t target_bytes, uint64_t* chunk);

/* ---- with an MPI_Comm: include mpi.h before this header ---------------------------------------------------------- */

#ifdef MPI_VERSION
static inline weft_status weft_create_mpi(const weft_spec* spec, const char* path, MPI_Comm comm,
                                          weft_writer** writer) {
  return weft_create_f(spec, path, (int)MPI_Comm_c2f(comm), writer);
}
static inline weft_status weft_append_mpi(const weft_spec* spec, const char* path, MPI_Comm comm,
                                          weft_writer** writer) {
  return weft_append_f(spec, path, (int)MPI_Comm_c2f(comm), writer);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
