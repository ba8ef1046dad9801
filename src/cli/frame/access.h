// How verbs come to what they work on, as the command line and the configuration say: the space,
// the guardian, what governs it, the memory, the governed house, and the compartments with their
// agent. All of it in the name of the person at the terminal (trust operator, DATA.md 14), and
// behind one gate (agent/house/gate.h): whatever a verb reads or writes is a call of the door
// "terminal:VERB". Nothing is put together here; the room `agent` does that.
// Thread-safety: what is opened belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/house/gate.h"
#include "agent/house/governed_house.h"
#include "agent/house/kept_memory.h"
#include "agent/loop/agent.h"
#include "agent/plans/plan_book.h"
#include "base/clock.h"
#include "base/random.h"
#include "cli/frame/context.h"
#include "govern/approve/approvals.h"
#include "govern/council/council_book.h"
#include "govern/detect/guardian.h"
#include "govern/detect/pattern_set.h"
#include "govern/detect/text_model.h"
#include "govern/ledger/ledger.h"
#include "memory/memory_manager.h"
#include "store/space.h"

namespace anima::cli {

// --- space ---------------------------------------------------------------------------------------

// kCreate: writes, and makes the space when there is none; only for verbs whose help says so.
// kCheckpoint: writes, and makes no base on its own. kAsItGoes: may write, and each write is judged
// when it comes; for verbs that mostly read, or whose acts the executor judges. The others are
// judged before they begin.
// kServeReads: nobody writes, but what is refused is entered in the audit.
enum class Access : std::uint8_t { kRead, kWrite, kCreate, kCheckpoint, kAsItGoes, kServeReads };

// The chosen space as the verb may use it; what is wrong with it and can be lived with is said on
// standard error. kRead never changes anything in its folder. Errors: kNotFound with a hint, those
// of Space::open; kDenied when something is to be written under `anima as-of`. What is read or
// written has those of the gate.
Result<std::shared_ptr<store::Space>> open_space(Context& context, Access access);
// For what a verb does outside of a space: whether it may. Judged by the chosen space where there
// is one, else by the rules of the account and the machine.
Status pass_door(Context& context, agent::Act act);
// Where that is asked again and again; `context` outlives it.
Result<std::shared_ptr<agent::Gate>> open_gate(Context& context);
agent::DoorCall door_of(const Context& context);
// Whether there is a log where the space is. In a database that costs asking it; one that does not
// answer is a space all the same.
bool space_is_there(Context& context);
// What to do when other accounts of the machine can enter the space's folder; empty when they
// cannot.
std::string open_to_others(FileSystem& files, const std::string& space);
// Its newest snapshot, or the one that `anima as-of` asks for.
Result<store::Snapshot> space_snapshot(const Context& context, store::Space& space);

// Who writes at the local terminal: the user's name, trust operator (DATA.md 14).
store::Origin local_origin(const Context& context, std::string_view source);

// A number of the log: "12". Errors: kInvalidArgument.
Result<store::Sequence> parse_sequence(std::string_view text);

// --- guardian ------------------------------------------------------------------------------------

using SharedModel = std::shared_ptr<const govern::TextModel>;

// "off" (null), "on" (the shipped model) or a file of `anima guard train`.
Result<SharedModel> make_model(Context& context, const std::string& name);

inline constexpr const char* kModelHelp =
    "the second stage: off (default), on (the shipped model), or a file that `anima guard train` "
    "made";

// With the shipped patterns where there is no file.
Result<govern::Guardian> make_guardian(Context& context,
                                       const std::optional<std::string>& pattern_file,
                                       const std::string& model_name = "off");

// What the settings name: guard.model, guard.patterns.
Result<SharedModel> model_in_use(Context& context);
Result<govern::PatternSet> patterns_in_use(Context& context);

// --- ledger, approvals, council ------------------------------------------------------------------

// What governs the space, by the names of its parts. `space`: as the verb may use it.
struct Governance {
  Governance(std::shared_ptr<agent::Gate> opened, std::shared_ptr<store::Space> for_verb,
             std::string person_name)
      : gate(std::move(opened)),
        clock(gate->clock()),
        random(gate->random()),
        space(std::move(for_verb)),
        events(gate->events()),
        ledger(gate->ledger()),
        approvals(gate->approvals()),
        plans(gate->plans()),
        council(gate->council()),
        line(gate->line()),
        person{std::move(person_name), govern::Trust::kOperator} {}

  std::shared_ptr<agent::Gate> gate;
  Clock& clock;
  Random& random;
  std::shared_ptr<store::Space> space;
  bus::EventBus& events;
  govern::Ledger& ledger;
  govern::Approvals& approvals;
  agent::PlanBook& plans;
  govern::CouncilBook& council;
  govern::StopSwitch& line;
  govern::Caster person;
};

// How often is often enough, as the configuration says (learning.threshold.*).
learn::Thresholds learning_thresholds(const Context& context);

// Where the owner's rules lie: those of the space, then those for all spaces.
std::vector<std::string> rule_folders(const Context& context);

// How calls that wait are answered: by a person at another terminal, with a key where the settings
// say so (approvals.need).
govern::ApprovalOptions approval_options(const Context& context);
// Where this account keeps what it knows of the approvers of its spaces (approver_pins.h).
std::string approver_pin_folder(const Context& context);
// Errors: those of open_space(); where it is opened to write, those of the gate.
Result<std::unique_ptr<Governance>> open_governance(Context& context, Access access,
                                                    agent::Act writes = agent::Act::kGoverns);

// --- memory --------------------------------------------------------------------------------------

struct Remembering {
  std::unique_ptr<Governance> governance;
  std::unique_ptr<agent::KeptMemory> kept;
  memory::MemoryManager& manager;
};

// Errors: those of the space, of the patterns in use.
Result<std::unique_ptr<Remembering>> open_memory(Context& context, Access access);

// --- house ---------------------------------------------------------------------------------------

// The tool on the graph that a person can have run through the executor.
inline constexpr std::string_view kInferRules = "infer_rules";

struct House {
  std::unique_ptr<agent::GovernedHouse> house;

  agent::GovernedHouse* operator->() const { return house.get(); }
  agent::GovernedHouse& operator*() const { return *house; }
};

// The settings of the configuration: the guardian's patterns and model, the limits of the gateway,
// the sandbox; the work folder is <space>/work.
Result<agent::HouseOptions> house_options(Context& context, const store::Space& space);
// Over the space that open_space() gave last, behind its gate.
Result<House> open_house(Context& context);
Result<House> open_house(Context& context, agent::HouseOptions options);

// --- compartments and their agent ----------------------------------------------------------------

// A space with its compartments: those under <space>/compartments and those that were loaded.
struct Workshop {
  std::shared_ptr<store::Space> space;
  std::unique_ptr<memory::CompartmentManager> compartments;
};
// Discovers, and loads and activates the Core ones. Broken neighbours are warnings.
Result<Workshop> open_workshop(Context& context, Access access, std::string_view source,
                               const std::optional<std::string>& directory = {});
// Loads and activates what a folder or file holds: a compartment's folder, or triples.json.
Status add_knowledge(Context& context, Workshop& workshop, const std::string& path);

}  // namespace anima::cli
