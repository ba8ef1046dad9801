#!/usr/bin/env python3
"""The texts of a set of scenarios, labelled, for `anima guard eval`: what text detection alone is measured on.

    texts.py FOLDER > texts.jsonl

One text a scenario: the message and every text of its environment whose trust is below operator, joined. All are judged
as untrusted, so that the trust of the sender gives nothing away.
"""
import json
import pathlib
import sys

for name, attack in (("attacks.jsonl", True), ("benign.jsonl", False)):
    for line in (pathlib.Path(sys.argv[1]) / name).read_text(encoding="utf-8").splitlines():
        scenario = json.loads(line)
        environment = scenario["environment"]
        others = list(environment.get("files", {}).values()) + environment.get("memory", [])
        texts = [scenario["message"]] + [t["text"] for t in others if t["trust"] != "operator"]
        print(json.dumps({"id": scenario["id"], "attack": attack, "trust": "untrusted", "text": "\n\n".join(texts)}))
