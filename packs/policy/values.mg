# Calls of a guarded session: each value comes with where it came from (docs/governance_values.md). What these rules find is
# asked about, and nothing is refused silently. What only reads and marks as read is free.

changing(/writes).
changing(/sends).
changing(/pays).
changing(/deletes).
changing(/runs).
acts(Call) :- effect(Call, Effect), changing(Effect).

leaving(/sends).
leaving(/pays).
leaving(/runs).
# What stays in the own memory comes back with its label.
stays(Call) :- call(Call, "memory:store", _, _).
leaves_here(Call) :- effect(Call, Effect), leaving(Effect), !stays(Call).
# So must what is written over something that was read (guard/argument_labels.cc).
tells(Call) :- leaves_here(Call).
tells(Call) :- effect(Call, /writes), !stays(Call).
lasting(/deletes).
lasting(/pays).
lasting(/runs).
lasts(Call) :- effect(Call, Effect), lasting(Effect).
removes(Call) :- effect(Call, /deletes).

# Every argument but one that is carried chooses something.
choosing(/plain).
choosing(/recipient).
choosing(/address).
choosing(/handle).
choosing(/amount).
choosing(/date).
choosing(/command).
chooses(Call, Argument) :- role(Call, Argument, Role), choosing(Role).
reaching(/address).
reaching(/command).
vouched(Call, Argument, Item) :- argument_value(Call, Argument, Item, Value), contact(Call, Value).
from_message(Call) :- value_from(Call, Argument, _, "message", _, _), chooses(Call, Argument).
from_message(Call) :- meant(Call, Argument, _, _), chooses(Call, Argument).

# Values that tools gave, and nobody outside wrote. Those that the owner gave are there to be chosen from.
given(Call, Argument, Item) :- value_from(Call, Argument, Item, Source, _, Trust), Source != "message", Source != "plan", Source != "model", Source != "contacts", !outside(Trust).
# What outsiders named is enough for what only writes.
may_be_meant(Call, Argument, Item) :- meant(Call, Argument, Item, /surely).
may_be_meant(Call, Argument, Item) :- meant(Call, Argument, Item, /likely), effect(Call, /writes).

# Values.

ask(Call, "a value from outside would choose what is done") :- acts(Call), chooses(Call, Argument), value_from(Call, Argument, Item, _, _, Trust), outside(Trust), !within(Call, Argument, Item), !permitted(Call).

ask(Call, "nobody vouches for this address or command") :- acts(Call), role(Call, Argument, Role), reaching(Role), value_from(Call, Argument, Item, _, _, /standard), !vouched(Call, Argument, Item), !permitted(Call).

ask(Call, "the message does not name what would be removed") :- effect(Call, /deletes), role(Call, Argument, /handle), value_from(Call, Argument, Item, Source, _, _), Source != "message", Source != "plan", !meant(Call, Argument, Item, /surely), !permitted(Call).

ask(Call, "the message does not name whom this goes to") :- acts(Call), role(Call, Argument, /recipient), given(Call, Argument, Item), !meant(Call, Argument, Item, /surely), !permitted(Call).

ask(Call, "the message does not name what this changes") :- acts(Call), role(Call, Argument, /handle), given(Call, Argument, Item), !may_be_meant(Call, Argument, Item), !removes(Call), !permitted(Call).

ask(Call, "the amount is above its limit and the message does not have it") :- effect(Call, /pays), role(Call, Argument, /amount), value_from(Call, Argument, Item, Source, _, _), Source != "message", !within(Call, Argument, Item), !permitted(Call).

ask(Call, "without a plan the message must name this itself") :- lasts(Call), !has_plan(Call), role(Call, Argument, /handle), given(Call, Argument, _), !permitted(Call).

# A plan was written before anything was read: where it has the words, others may be somebody else's.
ask(Call, "the plan has other words for this") :- acts(Call), off_plan(Call, Argument, Item), value_from(Call, Argument, Item, _, _, Trust), outside(Trust), !permitted(Call).

ask(Call, "this text has nothing of what the message speaks of") :- tells(Call), role(Call, Argument, /carried), value_from(Call, Argument, Item, "model", _, Trust), outside(Trust), !meant(Call, Argument, Item, _), !permitted(Call).

# Readers.

ask(Call, "a private value would go to somebody who may not read it") :- leaves(Call, _, _, _), !permitted(Call).

# The set of tools, and how often, comes from the message.

ask(Call, "the message does not ask for this tool") :- acts(Call), has_plan(Call), call(Call, Tool, _, _), !planned(Call, Tool, _), !permitted(Call).

ask(Call, "the message asks for this tool less often") :- acts(Call), planned(Call, Tool, Most), ran(Call, Tool, Times), Times >= Most, !permitted(Call).

ask(Call, "nothing in this call comes from the message, and texts from outside were read") :- acts(Call), !has_plan(Call), floor(Call, Trust), outside(Trust), !from_message(Call), !permitted(Call).
