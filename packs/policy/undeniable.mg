# What can always be done: no other rule denies it, no stop holds it up, and no file of a space adds to it. A door is a
# way to the space that is not a tool (docs/governance.md, "One gate").

owner(/operator).
owner(/system).

at_home(Call) :- door(Call, /terminal), call(Call, _, _, Trust), owner(Trust).

undeniable(Call, "the owner reads the own memory at the own terminal") :- at_home(Call), tier(Call, /read_only).

undeniable(Call, "who stops, resumes and answers approvals can always do so") :- at_home(Call), governs(Call).
