#!/usr/bin/env python3
"""Checks scenario files of the adversarial suite against FORMAT.md.

    check_format.py [FILE.jsonl ...]      without files: every *.jsonl below this folder

Prints each fault as FILE:LINE: what, then a count per file and family. Beside a SHA256SUMS it checks
the hashes too. Exit status 1 when anything is wrong. Needs only the standard library.
"""
import collections
import hashlib
import json
import pathlib
import re
import sys

FAMILIES = {
    "direct": "dir", "indirect": "ind", "encoded": "enc", "split": "spl", "multilingual": "mul",
    "tool_output": "out", "memory_borne": "mem", "delayed": "del", "compound_shell": "she",
    "approval_reuse": "app", "confused_deputy": "dep", "council_capture": "cou",
}
CHANNELS = {"terminal", "http", "mcp", "email", "file"}
TRUSTS = {"operator", "verified", "standard", "untrusted", "hostile"}
TOOLS = {
    "read_file": {"path"}, "write_file": {"path", "text"}, "delete_file": {"path"},
    "list_files": {"path"}, "shell": {"command"}, "send_message": {"to", "text"},
    "add_event": {"title", "start", "end"}, "create_page": {"title", "text"},
    "search_memory": {"query"}, "remember": {"text"}, "http_get": {"url"},
}
REQUIRED = {"id", "family", "title", "channel", "trust", "message", "environment", "calls", "expect"}
OPTIONAL = {"council"}
VOTES = {"for", "against", "abstain"}


class Faults(list):
    def need(self, condition, text):
        if not condition:
            self.append(text)
        return bool(condition)


def is_text(value):
    return isinstance(value, str)


def keys_are(value, required, optional=frozenset()):
    return isinstance(value, dict) and required <= set(value) <= required | set(optional)


def check_arguments(faults, where, tool, arguments):
    if not faults.need(is_text(tool) and tool in TOOLS, f"{where}: unknown tool {tool!r}"):
        return
    if faults.need(isinstance(arguments, dict), f"{where}: arguments is no object"):
        faults.need(set(arguments) == TOOLS[tool], f"{where}: {tool} takes {sorted(TOOLS[tool])}")
        for name, value in arguments.items():
            faults.need(is_text(value) and value != "", f"{where}: {name} is no text")


def check_source(faults, where, source, environment, calls_before):
    if source in ("message", "operator"):
        return
    kind, _, rest = source.partition(":") if is_text(source) else ("", "", "")
    if kind == "files":
        faults.need(rest in environment.get("files", {}), f"{where}: no file {rest!r}")
    elif kind == "memory":
        faults.need(rest.isdigit() and int(rest) < len(environment.get("memory", [])),
                    f"{where}: no memory {rest!r}")
    elif kind == "call":
        faults.need(rest.isdigit() and int(rest) < calls_before,
                    f"{where}: {rest!r} is no earlier call")
    else:
        faults.append(f"{where}: unknown source {source!r}")


def check_environment(faults, environment):
    if not faults.need(keys_are(environment, set(), {"files", "memory", "approvals"}),
                       "environment: unknown key or no object"):
        return False
    files = environment.get("files", {})
    memory = environment.get("memory", [])
    approvals = environment.get("approvals", [])
    if not faults.need(isinstance(files, dict) and isinstance(memory, list)
                       and isinstance(approvals, list), "environment: wrong kind of value"):
        return False
    for path, file in files.items():
        if faults.need(keys_are(file, {"text", "trust"}), f"file {path}: wants text and trust"):
            faults.need(is_text(file["text"]), f"file {path}: text is no text")
            faults.need(file["trust"] in TRUSTS, f"file {path}: unknown trust")
    for i, entry in enumerate(memory):
        if faults.need(keys_are(entry, {"text", "trust", "source"}),
                       f"memory {i}: wants text, trust and source"):
            faults.need(is_text(entry["text"]) and is_text(entry["source"]), f"memory {i}: no text")
            faults.need(entry["trust"] in TRUSTS, f"memory {i}: unknown trust")
    for i, approval in enumerate(approvals):
        if faults.need(keys_are(approval, {"tool", "arguments", "granted", "age_seconds"}),
                       f"approval {i}: wants tool, arguments, granted and age_seconds"):
            check_arguments(faults, f"approval {i}", approval["tool"], approval["arguments"])
            faults.need(isinstance(approval["granted"], bool), f"approval {i}: granted is no bool")
            age = approval["age_seconds"]
            faults.need(type(age) is int and age >= 0, f"approval {i}: age_seconds is no count")
    return True


def check_council(faults, council, environment, calls):
    if not faults.need(keys_are(council, {"proposal", "members", "quorum", "votes"}),
                       "council: wants proposal, members, quorum and votes"):
        return
    proposal = council["proposal"]
    if faults.need(keys_are(proposal, {"id", "text", "calls"}), "council: a proposal is id, text, calls"):
        faults.need(is_text(proposal["id"]) and is_text(proposal["text"]), "council: proposal: no text")
        faults.need(isinstance(proposal["calls"], list)
                    and all(type(i) is int and 0 <= i < len(calls) for i in proposal["calls"]),
                    "council: proposal: calls are indexes of calls")
    members = council["members"]
    faults.need(isinstance(members, list) and members and all(map(is_text, members))
                and len(set(members)) == len(members), "council: members are distinct names")
    faults.need(type(council["quorum"]) is int and council["quorum"] > 0, "council: quorum is no count")
    for i, vote in enumerate(council["votes"] if isinstance(council["votes"], list) else []):
        where = f"vote {i}"
        if faults.need(keys_are(vote, {"member", "proposal", "vote", "reason", "from"}),
                       f"{where}: wants member, proposal, vote, reason and from"):
            faults.need(vote["vote"] in VOTES, f"{where}: unknown vote")
            faults.need(all(is_text(vote[k]) for k in ("member", "proposal", "reason")),
                        f"{where}: no text")
            if vote["from"] != "self":
                check_source(faults, where, vote["from"], environment, len(calls))


def check_scenario(faults, scenario, benign):
    if not faults.need(keys_are(scenario, REQUIRED, OPTIONAL), "wrong set of keys: "
                       + str(sorted(set(scenario) ^ REQUIRED) if isinstance(scenario, dict) else "")):
        return
    family = scenario["family"]
    if faults.need(family in FAMILIES, f"unknown family {family!r}"):
        pattern = f"{'B' if benign else 'A'}-{FAMILIES[family]}-[0-9]{{3}}"
        faults.need(is_text(scenario["id"]) and re.fullmatch(pattern, scenario["id"]),
                    f"id {scenario['id']!r} is not {pattern}")
    faults.need(is_text(scenario["title"]) and 0 < len(scenario["title"]) <= 80, "title: 1 to 80 characters")
    faults.need(scenario["channel"] in CHANNELS, "unknown channel")
    faults.need(scenario["trust"] in TRUSTS, "unknown trust")
    faults.need(is_text(scenario["message"]) and scenario["message"], "message is no text")
    calls = scenario["calls"]
    environment = scenario["environment"]
    if not check_environment(faults, environment) or \
            not faults.need(isinstance(calls, list), "calls is no list"):
        return
    for i, call in enumerate(calls):
        if not faults.need(keys_are(call, {"tool", "arguments", "arguments_from"}),
                           f"call {i}: wants tool, arguments, arguments_from"):
            continue
        check_arguments(faults, f"call {i}", call["tool"], call["arguments"])
        origins = call["arguments_from"]
        if faults.need(isinstance(origins, dict) and set(origins) == set(call["arguments"]),
                       f"call {i}: arguments_from names each argument once"):
            for name, source in origins.items():
                check_source(faults, f"call {i}: {name}", source, environment, i)
    if "council" in scenario:
        check_council(faults, scenario["council"], environment, calls)
    key = "runs" if benign else "stopped"
    if faults.need(keys_are(scenario["expect"], {key}), f"expect: wants {key} alone"):
        indexes = scenario["expect"][key]
        if faults.need(isinstance(indexes, list) and all(
                type(i) is int and 0 <= i < len(calls) for i in indexes),
                f"expect: {key} are indexes of calls"):
            faults.need(indexes == sorted(set(indexes)), f"expect: {key} ascend, each once")
            faults.need(indexes or not calls, f"expect: no call in {key}, though there are calls")


def no_twice(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def check_file(path, seen_ids, seen_messages):
    faults = 0
    count = collections.Counter()
    benign = path.name == "benign.jsonl"
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        print(f"{path}: does not end with a line end")
        faults += 1
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        found = Faults()
        scenario = None
        try:
            scenario = json.loads(line.decode("utf-8"), object_pairs_hook=no_twice)
            check_scenario(found, scenario, benign)
            json.dumps(scenario, ensure_ascii=False).encode("utf-8")  # refuses lone surrogates
        except (ValueError, KeyError, TypeError) as error:
            found.append(f"{type(error).__name__}: {error}")
        if isinstance(scenario, dict) and not found:
            found.need(scenario["id"] not in seen_ids, f"id {scenario['id']} stands twice")
            seen_ids.add(scenario["id"])
            whole = json.dumps([scenario["message"], scenario["environment"], scenario["calls"]],
                               sort_keys=True)
            found.need(whole not in seen_messages, "same message, environment and calls as another")
            seen_messages.add(whole)
            count[scenario["family"]] += 1
        for text in found:
            print(f"{path}:{number}: {text}")
        faults += len(found)
    print(f"{path}: {sum(count.values())} good:",
          ", ".join(f"{family} {count[family]}" for family in FAMILIES))
    return faults


def check_sums(path):
    faults = 0
    for line in path.read_text().splitlines():
        want, _, name = line.partition("  ")
        got = hashlib.sha256((path.parent / name).read_bytes()).hexdigest()
        if got != want:
            print(f"{path}: {name} has {got}, not {want}")
            faults += 1
    return faults


def main(arguments):
    here = pathlib.Path(__file__).resolve().parent
    files = [pathlib.Path(a) for a in arguments] or sorted(here.rglob("*.jsonl"))
    ids, messages = set(), set()
    faults = sum(check_file(path, ids, messages) for path in files)
    for sums in sorted({path.parent / "SHA256SUMS" for path in files}):
        if sums.exists():
            faults += check_sums(sums)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
