#include "kernels/io/mpi_file.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "weft/support/error.hpp"

namespace weft::kernels {

namespace {

void check(int code, const std::string& path, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  std::string reason(words.data(), static_cast<std::size_t>(length));
  for (char& letter : reason) {
    if (letter == '\n') letter = ' ';
  }
  int kind = MPI_SUCCESS;
  MPI_Error_class(code, &kind);
  const char* const remedy =
      kind == MPI_ERR_NO_SPACE || kind == MPI_ERR_QUOTA ? "free some space, or write elsewhere" : "";
  throw Error(ErrorKind::system, path, fmt::format("{}: {}", what, reason), remedy);
}

class Info {
 public:
  explicit Info(const Hints& hints) {
    if (hints.empty()) return;
    MPI_Info_create(&info_);
    for (const auto& [key, value] : hints) MPI_Info_set(info_, key.c_str(), value.c_str());
  }
  ~Info() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

}  // namespace

MpiFile::MpiFile(MPI_Comm comm, const std::string& path, int mode, const Hints& hints, MpiAccount account)
    : path_(path), account_(account) {
  const Info info(hints);
  check(timed(account_.times.open, account_.times.calls.open,
              [&] { return MPI_File_open(comm, path.c_str(), mode, info.get(), &file_); }),
        path_, "cannot be opened");
  ++account_.calls.opens;
}

MpiFile::~MpiFile() {
  if (file_ == MPI_FILE_NULL) return;
  MPI_File_close(&file_);
  account_.calls += writes_.take();
}

void MpiFile::set_view(MPI_Offset displacement, MPI_Datatype element, MPI_Datatype file_type, const Hints& hints) {
  const Info info(hints);
  check(timed(account_.times.build,
              [&] { return MPI_File_set_view(file_, displacement, element, file_type, "native", info.get()); }),
        path_, "refuses the view");
}

void MpiFile::seek(MPI_Offset offset, int whence) {
  check(timed(account_.times.write, [&] { return MPI_File_seek(file_, offset, whence); }), path_,
        "cannot be positioned");
  ++account_.calls.seeks;
}

// A disk that is full is an error with one MPI and a short write with another.
template <typename Call>
void MpiFile::counted_write(int count, MPI_Datatype type, const Call& call) {
  MPI_Status status;
  check(timed(account_.times.write, account_.times.calls.write, [&] { return call(&status); }), path_,
        "cannot be written");
  MPI_Count bytes = 0;
  MPI_Type_size_x(type, &bytes);
  bytes *= count;
  MPI_Count written = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &written);
  if (written != MPI_UNDEFINED && written < bytes) {
    throw Error(ErrorKind::system, path_, fmt::format("took {} of {} bytes", written, bytes),
                "the disk may be full: free some space, or write elsewhere");
  }
  writes_.count(static_cast<std::uint64_t>(bytes));
}

void MpiFile::write(const void* data, int count, MPI_Datatype type) {
  counted_write(count, type, [&](MPI_Status* status) { return MPI_File_write(file_, data, count, type, status); });
}

void MpiFile::write_all(const void* data, int count, MPI_Datatype type) {
  counted_write(count, type, [&](MPI_Status* status) { return MPI_File_write_all(file_, data, count, type, status); });
}

void MpiFile::write_at(MPI_Offset offset, const void* data, int count, MPI_Datatype type) {
  counted_write(count, type,
                [&](MPI_Status* status) { return MPI_File_write_at(file_, offset, data, count, type, status); });
}

void MpiFile::write_at_all(MPI_Offset offset, const void* data, int count, MPI_Datatype type) {
  counted_write(count, type,
                [&](MPI_Status* status) { return MPI_File_write_at_all(file_, offset, data, count, type, status); });
}

void MpiFile::close() {
  account_.calls += writes_.take();
  ++account_.calls.closes;
  check(timed(account_.times.close, account_.times.calls.close, [&] { return MPI_File_close(&file_); }), path_,
        "cannot be closed");
}

MpiType::MpiType(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }

MpiType::~MpiType() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

MpiType::MpiType(MpiType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}

}  // namespace weft::kernels
