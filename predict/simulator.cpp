// weft-simulate FILE: the ranks of a workload on SimGrid's engine; predict/simulation.hpp has the format of FILE.
//
// A rank is an actor. What it uses is an execution on the resource's host, which several share evenly, each up to a
// bound; a step that uses several ends with the last of them, as requests stream through links and servers at once.
#include <simgrid/s4u.hpp>

#include <simgrid/version.h>  // which does not stand alone

#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;
using nlohmann::json;

namespace {

// SimGrid 4 has other names for what 3 has.
#if SIMGRID_VERSION_MAJOR >= 4
sg::NetZone* only_zone() { return sg::Engine::get_instance()->get_netzone_root()->add_netzone_empty("all"); }
sg::Host* new_host(sg::NetZone* zone, const std::string& name) { return zone->add_host(name, 1.0)->seal(); }
template <typename Body>
void start_actor(const char* name, sg::Host* host, const Body& body) {
  sg::Engine::get_instance()->add_actor(name, host, body);
}
#else
sg::NetZone* only_zone() { return sg::create_empty_zone("all"); }
sg::Host* new_host(sg::NetZone* zone, const std::string& name) { return zone->create_host(name, 1.0)->seal(); }
template <typename Body>
void start_actor(const char* name, sg::Host* host, const Body& body) {
  sg::Actor::create(name, host, body);
}
#endif

struct Use {
  int resource;
  double amount;
  double bound;
};

struct Step {
  std::string phase;
  std::vector<Use> uses;
  double meet = -1;
  double wait = -1;
  int by = 0;  // 0: the rank; others work behind it
};

std::vector<Step> steps_from(const json& list) {
  std::vector<Step> steps;
  for (const json& item : list) {
    Step step;
    step.phase = item.at("phase");
    step.by = item.value("by", 0);
    step.meet = item.value("meet", -1.0);
    step.wait = item.value("wait", -1.0);
    for (const json& use : item.value("uses", json::array())) step.uses.push_back({use[0], use[1], use[2]});
    steps.push_back(std::move(step));
  }
  return steps;
}

// What a step uses, at the same time, and until the last of it ends.
class Resources {
 public:
  Resources(const std::vector<sg::Host*>& shared, sg::Host* link) : shared_(shared), link_(link) {}

  void use(const Step& step) const {
    std::vector<sg::ExecPtr> work;
    double own = 0;
    for (const Use& use : step.uses) {
      if (use.amount <= 0) continue;
      if (use.resource == -1) {
        own += use.amount;
        continue;
      }
      sg::ExecPtr exec = sg::this_actor::exec_init(use.amount);
      exec->set_host(use.resource == -2 ? link_ : shared_[static_cast<std::size_t>(use.resource)]);
      if (use.bound < 1) exec->set_bound(use.bound);
      exec->start();
      work.push_back(exec);
    }
    if (own > 0) sg::this_actor::sleep_for(own);
    for (const sg::ExecPtr& exec : work) exec->wait();
  }

 private:
  const std::vector<sg::Host*>& shared_;
  sg::Host* link_;
};

// One that works behind a rank: a thread of it, or the disk. One step after the other.
class Behind {
 public:
  Behind(const Resources& resources, sg::Host* home) {
    start_actor("behind", home, [state = state_, resources] {
      while (true) {
        state->given->acquire();
        if (state->steps.empty()) return;
        resources.use(*state->steps.front());
        state->steps.pop_front();
        state->done->release();
      }
    });
  }
  void give(const Step& step) {
    ++left_;
    state_->steps.push_back(&step);
    state_->given->release();
  }
  void wait_until(double left) {
    for (; static_cast<double>(left_) > left; --left_) state_->done->acquire();
  }
  void end() {
    wait_until(0);
    state_->given->release();
  }

 private:
  struct State {
    std::deque<const Step*> steps;
    sg::SemaphorePtr given = sg::Semaphore::create(0);
    sg::SemaphorePtr done = sg::Semaphore::create(0);
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::uint64_t left_ = 0;  // given, and not waited for
};

// Seconds of each phase, of one rank.
std::map<std::string, double> run_rank(const std::vector<Step>& steps, const Resources& resources, sg::Host* home,
                                       const sg::BarrierPtr& all) {
  std::map<std::string, double> of_phase;
  std::map<int, Behind> behind;
  for (const Step& step : steps) {
    const double begin = sg::Engine::get_clock();
    const auto worker = behind.find(step.by);
    if (step.meet >= 0) {
      all->wait();
      if (step.meet > 0) sg::this_actor::sleep_for(step.meet);
    } else if (step.wait >= 0) {
      if (worker != behind.end()) worker->second.wait_until(step.wait);
    } else if (step.by != 0) {
      (worker != behind.end() ? worker : behind.try_emplace(step.by, resources, home).first)->second.give(step);
    } else {
      resources.use(step);
    }
    of_phase[step.phase] += sg::Engine::get_clock() - begin;
  }
  for (auto& [by, worker] : behind) worker.end();
  return of_phase;
}

json simulated(const json& told) {
  sg::NetZone* zone = only_zone();
  std::vector<sg::Host*> hosts;
  const int shared = told.at("resources").get<int>();
  hosts.reserve(static_cast<std::size_t>(shared));
  for (int n = 0; n < shared; ++n) {
    hosts.push_back(new_host(zone, "resource" + std::to_string(n)));
  }
  sg::Host* home = new_host(zone, "ranks");
  std::uint64_t ranks = 0;
  for (const json& group : told.at("groups")) ranks += group.at("ranks").get<std::uint64_t>();
  const std::uint64_t per_node = std::max<std::uint64_t>(
      1, told.value("ranks_per_node", ranks) == 0 ? ranks : told.value("ranks_per_node", ranks));
  std::vector<sg::Host*> links;
  for (std::uint64_t first = 0; first < ranks; first += per_node) {
    links.push_back(new_host(zone, "link" + std::to_string(links.size())));
  }
  zone->seal();

  const sg::BarrierPtr all = sg::Barrier::create(static_cast<unsigned>(ranks));
  std::vector<std::vector<Step>> steps;
  for (const json& group : told.at("groups")) steps.push_back(steps_from(group.at("steps")));
  double seconds = 0;
  std::map<std::string, double> phases;
  std::uint64_t number = 0;
  std::vector<std::pair<std::size_t, std::uint64_t>> order;
  for (const json& part : told.value("order", json::array())) order.emplace_back(part[0], part[1]);
  for (std::size_t g = 0; g < steps.size() && !told.contains("order"); ++g) {
    order.emplace_back(g, told.at("groups")[g].at("ranks").get<std::uint64_t>());
  }
  for (const auto& [group, count] : order) {
    for (std::uint64_t n = 0; n < count; ++n, ++number) {
      const Resources resources(hosts, links[number / per_node]);
      start_actor("rank", home, [&steps, g = group, resources, home, all, &seconds, &phases] {
        for (const auto& [phase, spent] : run_rank(steps[g], resources, home, all)) {
          phases[phase] = std::max(phases[phase], spent);
        }
        seconds = std::max(seconds, sg::Engine::get_clock());
      });
    }
  }
  sg::Engine::get_instance()->run();
  return {{"seconds", seconds}, {"phases", phases}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "weft-simulate FILE: give what weft predict writes\n";
    return 2;
  }
  try {
    const std::string file = argv[1];
    // Thousands of actors with small stacks, unguarded (a guarded one takes two of a process's 65,530 mappings); and
    // nothing of its log.
    std::vector<std::string> words{argv[0], "--log=root.thres:critical", "--cfg=contexts/stack-size:64",
                                   "--cfg=contexts/guard-size:0"};
    std::vector<char*> pointers;
    pointers.reserve(words.size());
    for (std::string& word : words) pointers.push_back(word.data());
    auto count = static_cast<int>(pointers.size());
    const sg::Engine engine(&count, pointers.data());
    std::ifstream in(file);
    std::cout << simulated(json::parse(in)).dump() << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
