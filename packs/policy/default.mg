# The policy that ships with Anima. Rules of your own go into <space>/policy/*.mg or, for all spaces,
# $XDG_CONFIG_HOME/anima/policy/*.mg.

deny(Call, "nothing read from outside may choose the recipient of a message") :- recipient(Call, Trust), outside(Trust).

deny(Call, "nothing read from outside may choose an address to talk to") :- address(Call, Trust), outside(Trust).

deny(Call, "nothing read from outside may choose a command") :- command(Call, Trust), outside(Trust).
