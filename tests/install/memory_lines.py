"""A memory in a few lines, by the package for Python: loaded, asked, explained; an agent on it remembers and recalls.

Usage: memory_lines.py DATA SPACE     DATA: examples/library/data"""
import sys
import anima

data, space = sys.argv[1:]
with anima.Memory.open(space, create=True, author=anima.Author("ada", trust="operator")) as memory:
    memory.load(f"{data}/hosts.csv", f"{data}/services.csv")
    assert str(memory.ask("Which services run on borea?")) == "db"
    assert memory.why("db runs_on").steps[0].asserted
    with anima.Agent.open(memory) as agent:
        agent.remember("The boiler is serviced by Bo every March.")
        assert "Bo" in agent.recall("Who services the boiler?").text
print("anima", anima.__version__)
