# What policies see, and the words they are written in. docs/governance_policy.md describes each predicate.
#
# Facts of the calls so far, the one to be judged included:
#   call(Call, Tool, Agent, Trust)            Trust: the caller's
#   argument(Call, Name, Value)               numbers, truth values, texts (docs/governance_policy.md: how much)
#   made_from(Call, Name, Source, Trust)      what an argument was made from
#   carried(Call, Name)                       the tool only carries this argument
#   tier(Call, Tier)                          /read_only /write_safe /write_destructive /admin
#   finished(Call, Outcome)                   /done /failed /denied /waiting
#   door(Call, Door)                          it is no tool: /terminal /http /mcp /library /loop /world
#   governs(Call)                             it stops, resumes or answers approvals
# And, once a call was rehearsed, what it would change (of that call alone, never of one before it):
#   change(Call, Kind, Path)                  /added /edited /replaced /mode /touched /moved /deleted; /link_out too
#   change_in(Call, Kind, Folder, Name)       for each folder on the way: what is next in it; "": the work folder
#   change_at(Call, Kind, Name)               the last name, but not inside .git
#   overrun(Call, What)                       more than is judged without a person, in words
# Folder and Name are in lower case; inside .git only the first name is seen, and "info/alternates".
# Facts of a call of a guarded session (docs/governance_values.md):
#   valued(Call)                              it is one
#   message(Call, Message)                    the id of the message that it is made for
#   floor(Call, Trust)                        the least trusted of all that the model was told
#   has_plan(Call)                            a plan was made of that message
#   planned(Call, Tool, Most)                 a tool of the plan, and how often
#   ran(Call, Tool, Times)                    how often this tool ran for that message already
#   effect(Call, Effect)                      /reads /marks /writes /sends /pays /deletes /runs
#   role(Call, Argument, Role)                /plain /recipient /address /handle /amount /date /command /carried
#   value_from(Call, Argument, Item, Source, Field, Trust)   where each value of an argument came from
#   argument_value(Call, Argument, Item, Value)              that value, as a person reads it
#   said(Call, Value)                         a value that stands in the message
#   contact(Call, Value)                      a value for which a service or the owner vouches
#   within(Call, Argument, Item)              a date, or an amount up to its limit
#   off_plan(Call, Argument, Item)            the plan has the words of that argument, and these are not they
#   meant(Call, Argument, Item, How)          the message means that value without saying it: /surely, /likely
#   leaves(Call, Argument, Field, Recipient)  a value that this recipient may not read
# Decisions about a call:
#   deny(Call, Reason)   ask(Call, Reason)    ask: a person approves first
#   allow(Call, Reason)                       of the owner's own rules: no shipped rule asks about it

Decl allow(Call, Reason).
permitted(Call) :- allow(Call, _).

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
