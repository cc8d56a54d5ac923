// kernels/ecg/heart/gmsh_file.hpp - the words and numbers of a Gmsh file (.msh), one after another.
//
// They are taken just as PETSc's reader takes them, so that what was checked here is what PETSc will read: a word ends
// at white space, of which one character belongs to it; in a binary file the bytes of a number follow at once. Unlike
// PETSc's, every number must be whole and fit, and the file must not end too early.
//
// Example: in "$Nodes\n4 \1\0\0\0", where numbers are bytes, word() is "$Nodes", text_integer() 4 and integer() 1.
//
// Errors name the file, the section and the line, or in a binary file the byte. Holds 1 MiB of the file at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "weft/storage/byte_store.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

class GmshFile {
 public:
  // Throws Error(system) where the file cannot be read.
  explicit GmshFile(const std::string& path);

  // How numbers are written from here on; text until then.
  enum class Numbers : std::uint8_t { text, bytes, swapped_bytes };
  void numbers_are(Numbers numbers) { numbers_ = numbers; }
  // For the errors to come.
  void enter(std::string_view section) { section_ = section; }

  // Of at most kLongestWord characters: PETSc has room for 4,096, and does not look. Valid until the next call.
  static constexpr std::size_t kLongestWord = 1000;
  std::string_view word();
  std::string_view rest_of_line();
  std::int32_t text_integer();  // a word that is a number, in binary files too

  std::int32_t integer();
  std::int32_t size(
      int bytes);  // 0 to 2^31 - 1, of 4 or 8 bytes where it is no text: more does not fit PETSc's numbers
  double real();   // neither infinite nor NaN

  // Error(data) of what was read last.
  static constexpr std::string_view kRemedy = "write the mesh again, as format 2.2 or 4.1";
  Error bad(const std::string& what, std::string_view remedy = kRemedy) const;

 private:
  static constexpr int kEnd = -1;
  int next();
  void take_word(bool zero_is_space);
  std::int32_t word_as_integer(std::int32_t least) const;
  template <typename T>
  T from_bytes();

  std::unique_ptr<storage::ByteStore> store_;
  std::uint64_t bytes_;
  std::string piece_;  // of the file
  std::uint64_t piece_begins_ = 0;
  std::size_t at_ = 0;  // in it
  std::uint64_t line_ = 1;
  std::uint64_t line_of_word_ = 1;
  std::string word_;
  std::string section_ = "its beginning";
  Numbers numbers_ = Numbers::text;
};

}  // namespace weft::kernels::ecg
