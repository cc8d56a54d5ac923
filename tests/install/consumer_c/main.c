#include <stdio.h>
#include <weft.h>

int main(void) {
  const uint64_t shape[] = {3};
  const double values[] = {1, 2, 3};
  double back[3];
  weft_spec* spec = weft_spec_new();
  weft_writer* writer = NULL;
  weft_reader* reader = NULL;
  if (weft_add_field(spec, "V", WEFT_FLOAT64, 1, shape) || weft_create(spec, "c.h5", &writer) ||
      weft_put(writer, "V", WEFT_FLOAT64, values, 3) || weft_end_step(writer, 0) || weft_close(writer) ||
      weft_open("c.h5", &reader) || weft_snapshot(reader, "V", 0, WEFT_FLOAT64, back, 3)) {
    fprintf(stderr, "consumer: %s\n", weft_last_error());
    return 1;
  }
  weft_close_reader(reader);
  weft_spec_free(spec);
  printf("weft %s from C: %g\n", weft_version(), back[2]);
  return back[2] == 3 ? 0 : 1;
}
