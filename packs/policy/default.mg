# The policy that ships with Anima. Rules of your own go into <space>/policy/*.mg or, for all spaces,
# $XDG_CONFIG_HOME/anima/policy/*.mg.

# Calls of a guarded session are judged by values.mg.

deny(Call, "nothing read from outside may choose the recipient of a message") :- recipient(Call, Trust), outside(Trust), !valued(Call).

deny(Call, "nothing read from outside may choose an address to talk to") :- address(Call, Trust), outside(Trust), !valued(Call).

deny(Call, "nothing read from outside may choose a command") :- command(Call, Trust), outside(Trust), !valued(Call).
