# What policies see, and the words they are written in. docs/governance_policy.md describes each predicate.
#
# Facts of the calls so far, the one to be judged included:
#   call(Call, Tool, Agent, Trust)            Trust: the caller's
#   argument(Call, Name, Value)               numbers, truth values, texts (docs/governance_policy.md: how much)
#   made_from(Call, Name, Source, Trust)      what an argument was made from
#   carried(Call, Name)                       the tool only carries this argument
#   tier(Call, Tier)                          /read_only /write_safe /write_destructive /admin
#   finished(Call, Outcome)                   /done /failed /denied /waiting
# Decisions about a call:
#   deny(Call, Reason)   ask(Call, Reason)    ask: a person approves first

outside(/untrusted).
outside(/hostile).

recipient_argument("to").
recipient_argument("cc").
recipient_argument("bcc").
recipient_argument("recipient").
recipient_argument("recipients").
recipient_argument("attendees").

address_argument("url").
address_argument("uri").
address_argument("host").
address_argument("endpoint").

command_argument("command").
command_argument("program").
command_argument("script").

# The trust of something that an argument of this meaning was made from.
recipient(Call, Trust) :- made_from(Call, Name, _, Trust), recipient_argument(Name).
address(Call, Trust) :- made_from(Call, Name, _, Trust), address_argument(Name).
command(Call, Trust) :- made_from(Call, Name, _, Trust), command_argument(Name).
