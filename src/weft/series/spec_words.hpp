// weft/series/spec_words.hpp - what the choices of a series are called on a command line, in C, Fortran and Python.
//
// Each throws Error(usage) for any other word, naming `what` and the words there are.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/series/series_spec.hpp"

namespace weft::series {

DataType parse_data_type(std::string_view word, std::string_view what = "type");   // "float64", ...
Support parse_support(std::string_view word, std::string_view what = "support");   // "nodes", "cells", "global"
LayoutKind parse_layout(std::string_view word, std::string_view what = "layout");  // "reads", ..., "given"
std::string_view name_of(LayoutKind kind);
Sync parse_sync(std::string_view word, std::string_view what = "sync");  // "commit", "window", "none"
std::string_view name_of(Sync sync);
DirectWrites parse_direct(std::string_view word, std::string_view what = "direct");  // "auto", "always", "never"
storage::IfExists parse_if_exists(std::string_view word, std::string_view what = "if_exists");  // "replace", "fail"
// "auto", "all", "4/node" (on each node) or "16" (in all): WriterOptions::writers.
std::optional<partition::WriterLimit> parse_writers(std::string_view word, std::string_view what = "writers");
bool parse_yes(std::string_view word, std::string_view what);  // "yes", "no"

std::uint64_t parse_whole_number(std::string_view text, std::string_view what);  // from 0 on

// "60s", "5min" or "100steps": WriterOptions::commit_seconds or ::commit_steps.
void parse_commit_every(std::string_view text, WriterOptions& options, std::string_view what = "commit_every");

}  // namespace weft::series
