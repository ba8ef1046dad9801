# Who is not the owner, but known, reads, searches, and adds to calendar and pages. Whatever else such a message wants waits
# for the owner's approval of exactly that call. A stranger's message has nothing done, not even read: the answer would go to
# him.

below_owner(/verified).
below_owner(/standard).
below_owner(/untrusted).
below_owner(/hostile).

guest_tool("calendar:create").
guest_tool("notion:create").

# The doors of the memory itself (docs/governance.md, "One gate"): whoever was let in reads by them, each text with its label,
# and what he keeps has his own trust.
at_door(Call) :- door(Call, _).

by_guest(Call, Tool) :- call(Call, Tool, _, Trust), below_owner(Trust), !at_door(Call).

ask(Call, "only the owner changes or sends something without being asked") :- by_guest(Call, Tool), tier(Call, /write_safe), !guest_tool(Tool), !permitted(Call).

ask(Call, "only the owner chooses an address to talk to") :- by_guest(Call, _), argument(Call, Name, _), address_argument(Name), !permitted(Call).

ask(Call, "who is not verified chooses no recipient and no file for the owner") :- made_from(Call, Name, _, /standard), !carried(Call, Name), tier(Call, /write_safe), call(Call, Tool, _, _), !guest_tool(Tool), Tool != "memory:store", !at_door(Call), !valued(Call), !permitted(Call).

ask(Call, "who is not verified chooses no address for the owner") :- address(Call, /standard), !valued(Call), !permitted(Call).

ask(Call, "a stranger has nothing read or searched without being allowed") :- call(Call, _, _, /untrusted), tier(Call, /read_only), !at_door(Call), !permitted(Call).

deny(Call, "nothing is done for a known attacker") :- call(Call, _, _, /hostile).
