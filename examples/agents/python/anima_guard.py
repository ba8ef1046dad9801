"""A guarded session of Anima: asks `anima guard call` before a tool is called, and reports what it gave.

    with AnimaGuard("tools.json", session="inbox") as guard:
        guard.begin("Answer Ada's mail")
        guard.plan([{"tool": "mail_list"}, {"tool": "mail_send"}])
        verdict = guard.judge("mail_list", {})
        if verdict["decision"] == "allow":
            guard.observe(verdict["call"], mailbox())

One process of `anima` serves one session, line by line; docs/governance_values.md says what each request does. The space
is that of $ANIMA_SPACE unless one is named. Not for several threads at once.
"""
import json
import subprocess


class GuardError(Exception):
    """What was asked is no request that the session understands, or the process has ended."""


class AnimaGuard:
    def __init__(self, tools, session="guard", space=None, anima="anima"):
        command = [anima, *(["--space", space] if space else []), "guard", "call", "--tools", tools, "--session", session]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()

    def begin(self, message, **more):
        """A person's message; `channel`, `trust` and `sender` where it did not come from the person at the terminal."""
        begun = self._ask({"do": "begin", "message": message, **more})
        if not begun["accepted"]:
            raise GuardError(begun["reason"])
        return begun

    def plan(self, steps):
        """The tools that the message asks for: [{"tool": .., "most": 1}], made by whoever has seen the message alone."""
        return self._ask({"do": "plan", "steps": steps})

    def judge(self, tool, arguments):
        """{"decision": "allow" | "ask" | "deny", "call", "reason", "because", "approval", "arguments"}"""
        return self._ask({"do": "judge", "tool": tool, "arguments": arguments})

    def observe(self, call, result, shown=True):
        return self._ask({"do": "observe", "call": call, "result": result, "shown": shown})

    def answer(self, approval, allow):
        """What the person said whom you asked."""
        return self._ask({"do": "answer", "approval": approval, "allow": allow})

    def end(self):
        return self._ask({"do": "end"})

    def _ask(self, request):
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # why it ended is on standard error
        line = self._process.stdout.readline()
        if not line:
            raise GuardError("anima guard call has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise GuardError(answer["error"]["message"])
        return answer
