#include "kernels/ecg/heart/gmsh_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/gmsh_sample.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const GmshForm kText22{22, 't', 8};
const GmshForm kText40{40, 't', 8};
const GmshForm kText41{41, 't', 8};

std::string written(const std::string& text) {
  // Tests of one program run side by side in one folder.
  std::string path = std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".msh";
  std::filesystem::remove(path);  // cutting it short would cost a flush on ext4
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// The line a text is refused with.
std::string refusal(const std::string& text) {
  try {
    check_gmsh(written(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "was not refused";
}

// The sample with one word, or more, changed: the first place where they stand behind `section`.
std::string changed(const GmshForm& form, const std::string& section, const std::string& from, const std::string& to) {
  std::string text = GmshSample(form).text();
  const std::size_t at = text.find(from, text.find(section));
  EXPECT_NE(at, std::string::npos) << section << " " << from << " in\n" << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(GmshCheck, FindsTheTissuesInEveryForm) {
  for (const GmshForm& form : kGmshForms) {
    EXPECT_THAT(check_gmsh(written(GmshSample(form).text())),
                ElementsAre(Pair(1, Tissue::heart), Pair(7, Tissue::blood)))
        << form.format << form.numbers << form.size_bytes;
  }
}

TEST(GmshCheck, AFileThatEndsAnywhereIsRefused) {
  for (const GmshForm& form : kGmshForms) {
    const std::string text = GmshSample(form).text();
    for (std::size_t bytes = 0; bytes + 2 < text.size(); ++bytes) {
      EXPECT_NE(refusal(text.substr(0, bytes)), "was not refused") << form.format << form.numbers << " " << bytes;
    }
  }
}

TEST(GmshCheck, WhatIsNotThereIsNamed) {
  EXPECT_THAT(refusal(changed(kText22, "$Elements", "2 3 4 5", "2 3 4 6")),
              HasSubstr(".msh: element 3 names node 6, which is not there ($Elements, line 21); write the mesh again"));
  EXPECT_THAT(refusal(changed(kText41, "$Elements", "3 2 3 4 5", "3 2 3 4 0")), HasSubstr("element 3 names node 0"));
  EXPECT_THAT(refusal(changed(kText40, "$Elements", "3 2 3 4 5", "3 2 3 -4 5")), HasSubstr("element 3 names node -4"));
  EXPECT_THAT(refusal(changed(kText41, "$Elements", "3 2 4 1", "3 8 4 1")),
              HasSubstr("a block of entity 8 (dimension 3), which is not there"));
  EXPECT_THAT(refusal(changed(kText41, "$Nodes", "2 1 0", "4 1 0")), HasSubstr("a block of 4 dimensions"));
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "5 1", "4 1")), HasSubstr("has node 4 twice"));
}

TEST(GmshCheck, CountsMustBeThoseOfWhatIsThere) {
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "5\n", "6\n")), HasSubstr("has $EndNodes where a whole number"));
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "5\n", "4\n")), HasSubstr("has no $EndNodes where it should be"));
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "5\n", "2147483647\n")), HasSubstr("has $EndNodes where"));
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "5\n", "-5\n")), HasSubstr("has no nodes"));
  EXPECT_THAT(refusal(changed(kText41, "$Nodes", "2 5 1 5", "2 4 1 5")), HasSubstr("announces 4 nodes, and has more"));
  EXPECT_THAT(refusal(changed(kText41, "$Nodes", "2 5 1 5", "2 6 1 5")), HasSubstr("announces 6 nodes, and has 5"));
  EXPECT_THAT(refusal(changed(kText41, "$Nodes", "2 5 1 5", "2 5 9 5")), HasSubstr("has nodes 9 to 5"));
  EXPECT_THAT(refusal(changed(kText41, "$Elements", "3 3 1 3", "3 4 1 3")),
              HasSubstr("announces 4 elements, and has 3"));
  EXPECT_THAT(refusal(changed(kText40, "$Elements", "3 3 ", "3 2 ")), HasSubstr("announces 2 elements, and has more"));
  EXPECT_THAT(refusal(changed(kText41, "$Elements", "3 3 1 3", "3 -3 1 3")),
              HasSubstr("has -3 where a whole number of 0 to 2147483647 should be ($Elements, line"));
  EXPECT_THAT(refusal(changed(kText41, "$Elements", "3 3 1 3", "3 4294967299 1 3")), HasSubstr("has 4294967299 where"));
}

TEST(GmshCheck, NumbersMustBeWholeAndFit) {
  EXPECT_THAT(refusal(changed(kText22, "$Elements", "2 3 4 5", "2 3 4 5.0")),
              HasSubstr("has 5.0 where a whole number"));
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "1.500000", "1.5d0")),
              HasSubstr("has 1.5d0 where a number should be"));
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "1.500000", "inf")), HasSubstr("has a node at inf"));
  EXPECT_EQ(refusal(changed(kText41, "$Entities", "1.500000", "1.797693134862316e+308")), "was not refused")
      << "as Gmsh writes an entity that has no box";
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "5 1", "2147483646 1")),
              HasSubstr("5 nodes, numbered 1 to 2147483646"));
  EXPECT_THAT(refusal(changed(kText22, "$Nodes", "5 1", "-5 1")), HasSubstr("has a node -5"));
  EXPECT_THAT(refusal(changed(kText22, "$Elements", "3 4 2", "3 20 2")), HasSubstr("elements of type 20"));
  EXPECT_THAT(refusal(changed(kText22, "$Elements", "3 4 2", "3 4 2000")), HasSubstr("an element of 2000 groups"));
  EXPECT_THAT(refusal(changed(kText41, "$Elements", "3 2 4 1", "3 2 2 1")),
              HasSubstr("of type 2 in an entity of dimension 3"));
  EXPECT_THAT(refusal(changed(kText41, "$Nodes", "2 1 0", "2 1 1")), HasSubstr("has parametric coordinates"));
}

TEST(GmshCheck, WordsAreNoLongerThanPetscHasRoomFor) {
  EXPECT_THAT(refusal(changed(kText22, "", "$Nodes", std::string(5000, 'x'))), HasSubstr("a word of more than 1000"));
  EXPECT_THAT(refusal(changed(kText22, "", "skin", std::string(128, 'x'))), HasSubstr("has a name of 128 characters"));
  EXPECT_THAT(refusal(changed(kText22, "", "skin", std::string(5000, 'x'))), HasSubstr("a line of more than 1000"));
  for (const char* name : {" \"skin\"", "skin", "\"", "\"skin\" and bones"}) {
    EXPECT_THAT(refusal(changed(kText22, "", "\"skin\"", name)), HasSubstr("has no name after 2 3")) << name;
  }
  EXPECT_THAT(refusal(changed(kText22, "", "$Nodes", "$Comments\n$EndComment\n$Nodes")), HasSubstr("ends too early"));
  EXPECT_EQ(refusal(changed(kText22, "", "$Nodes", "$Comments\nmine, all\n$EndComments\n$Nodes")), "was not refused");
}

TEST(GmshCheck, WhatIsNoMshOfThese) {
  EXPECT_THAT(refusal("solid cube"), HasSubstr("does not begin with $MeshFormat (its beginning, line 1); give"));
  EXPECT_THAT(refusal(""), HasSubstr("ends too early (its beginning, line 1)"));
  EXPECT_THAT(refusal(changed(kText22, "", "2.2 ", "3.0 ")), HasSubstr("is of a format that Weft does not read"));
  EXPECT_THAT(refusal(changed(kText22, "", "2.2 0", "2.2 1")), HasSubstr("does not tell its byte order"));
  EXPECT_THAT(refusal(changed(kText22, "", "2.2 0 8", "2.2 0 4")), HasSubstr("has numbers of 4 bytes"));
  EXPECT_THAT(refusal(changed(kText41, "", "$Entities", "$PartitionedEntities")), HasSubstr("has no $Entities"));
  EXPECT_THROW(check_gmsh("not-there.msh"), Error);
}

TEST(GmshCheck, VolumesAreTissues) {
  EXPECT_THAT(refusal(changed(kText22, "$Elements", "3 4 2 7", "3 4 2 5")),
              HasSubstr("physical volume 5 is not a tissue"));
  EXPECT_THAT(refusal(changed(kText22, "", "blood", "bloed")), HasSubstr("physical volume 7 is not a tissue"));
  EXPECT_THAT(check_gmsh(written(changed(kText22, "$Elements", "3 4 2 7", "3 4 2 -7"))),
              ElementsAre(Pair(1, Tissue::heart)));
  EXPECT_EQ(refusal(changed(kText22, "$Elements", "1 2 2 3", "1 2 2 9")), "was not refused") << "that is a surface";
}

}  // namespace
}  // namespace weft::kernels::ecg
