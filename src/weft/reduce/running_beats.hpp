// weft/reduce/running_beats.hpp - the quantities of every beat (reduce/beats.hpp), found while the samples come in.
//
// A node carries a few tens of bytes from window to window, and in them the values of its latest beat: they go on to
// others when the next one begins. That is enough for all but one thing: where v rose through the target of an action
// potential duration is known only when the beat is over, and its samples are gone by then. So the samples around the
// onset are kept, as many as there is room for, counted back from it; where the crossing lies before them, or above the
// threshold (a target as high as that of apd_30), or where a beat begins before the fall of the one before is found,
// the node gives up and has to be reduced from the file.
//
// Pure, and bit for bit what reduce/trace_reducer.hpp makes of the whole trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/reduce/quantity.hpp"
#include "weft/reduce/running_quantity.hpp"

namespace weft::reduce {

// What a node carries, beside the doubles of RunningBeats::slots().
struct BeatMarks {
  std::uint32_t onset = 0;  // the sample that ends the interval the present beat began in
  std::uint16_t begun = 0;  // beats
  std::uint8_t kept = 0;    // samples kept from the onset back
  bool in_beat : 1 = false;
  bool falling : 1 = false;  // a duration waits for its end
  bool gave_up : 1 = false;
};
static_assert(sizeof(BeatMarks) == 8);
struct NodeBeats : BeatMarks {
  double level = 0;  // before a beat: the least |dv/dt| that is flat enough, or infinity; in it: the resting v
  double value = 0;  // before a beat: the resting v so far; in it: the peak so far
};

// Where beats go when the next one begins, so all but a node's last.
class BeatSink {
 public:
  virtual ~BeatSink() = default;
  // Beat `number` of the present node: the values of RunningBeats::quantities(), NaN where there is none. Returns false
  // where there is no room for it; the node gives up then.
  virtual bool beat(std::uint64_t number, std::span<const double> values) = 0;
};

class RunningBeats {
 public:
  // Those of `quantities` that are per beat.
  RunningBeats(std::span<const Quantity> quantities, double threshold);

  const std::vector<Quantity>& quantities() const { return quantities_; }
  double threshold() const { return threshold_; }
  bool has_upstroke() const { return has_upstroke_; }
  // Of a node that is falling: below none of its targets before it is below this.
  double greatest_target(std::span<const double> slots) const;
  // Doubles a node needs beside NodeBeats: its steepest interval, and what a beat takes.
  std::size_t slots() const { return (has_upstroke_ ? 2 : 0) + beat_slots_; }
  // Samples before a window that are of use to it.
  std::size_t history() const { return apds_.empty() ? 1 : beat_slots_ - 1; }

  void begin(NodeBeats& node, std::span<double> slots) const;
  // `number` is the step of samples.v[samples.first_new]; `times` has the time of every step up to the window's last.
  void see(NodeBeats& node, std::span<double> slots, const Samples& samples, std::uint64_t number,
           std::span<const double> times, BeatSink& sink) const;
  // There will be no more samples: a beat that has not ended counts.
  void finish(NodeBeats& node, std::span<double> slots, std::span<const double> times) const;
  // Of a node that is in no beat, has not given up and has begun one: the values of its last.
  std::span<const double> last_beat(std::span<const double> slots) const {
    return slots.last(beat_slots_).first(quantities_.size());
  }

 private:
  void rise(NodeBeats& node, std::span<double> slots, const Samples& samples, std::size_t i, std::uint64_t number,
            BeatSink& sink) const;
  void end_beat(NodeBeats& node, std::span<double> slots, std::span<const double> times, bool is_complete) const;
  void fall(NodeBeats& node, std::span<double> slots, const Samples& samples, std::size_t i) const;
  // In a beat: the samples that are kept. After it: its values, then a target for each duration. A duration that waits
  // for its fall has when it began for a value, and one that does not has a target that v never falls below.
  std::span<double> beat_of(std::span<double> slots) const { return slots.last(beat_slots_); }

  std::vector<Quantity> quantities_;
  std::vector<std::size_t> apds_;  // the durations among them
  double threshold_;
  bool has_upstroke_ = false;
  double most_percent_ = 0;  // of the durations
  std::size_t beat_slots_ = 0;
};

}  // namespace weft::reduce
