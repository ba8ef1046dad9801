"""A session and tools for the OpenAI Agents SDK, over a memory.

    from anima.adapters.openai_agents import AnimaSession, memory_tools

    agent = agents.Agent("helper", tools=memory_tools(anima.Agent.open(memory)))
    await agents.Runner.run(agent, "Who services the boiler?", session=AnimaSession("ada", memory))
"""

from __future__ import annotations

from typing import Any, Union

from .. import _errors
from .._agent import Agent
from .._aio_calls import run_call
from .._convert import AuthorLike
from .._remote import Connection
from .._values import Trust, TrustLike
from ._conversation import Conversations
from ._missing import needs
from ._records import Space

with needs("openai_agents"):
    from agents import FunctionTool, TResponseInputItem, function_tool
    from agents.memory import SessionABC, SessionSettings
    from agents.memory.session_settings import resolve_session_limit

__all__ = ["AnimaSession", "memory_tools"]


class AnimaSession(SessionABC):
    """The items of one conversation, in an anima.Memory or in what anima.connect() gives.

    Each item is a thing of the memory; add_items(), pop_item() and clear_session() are one entry of the log
    each, with their author, and can be undone. An item comes back the same, with its calls of tools and
    its images; what JSON would change is a WrongType. It is untrusted unless `author` says otherwise, and no
    search and no recall finds it.
    """

    def __init__(
        self,
        session_id: str,
        memory: Space,
        *,
        author: AuthorLike | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        if not isinstance(session_id, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise _errors.wrong_type(
                f"a session_id is of the type {type(session_id).__name__}", "a session_id is a str"
            )
        self.session_id = session_id
        self.session_settings: SessionSettings | None = SessionSettings() if session_settings is None else session_settings
        self._conversations = Conversations(memory, "openai_agents", author)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """All, the oldest first; with a `limit`, here or in the settings, the newest so many."""
        most = resolve_session_limit(limit, self.session_settings)
        if most is None:
            found = await run_call(self._conversations.all, self.session_id)
        else:
            found = await run_call(self._conversations.newest, self.session_id, most)
        return [each.value for each in found]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        await run_call(self._conversations.add, self.session_id, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """The newest one, which is gone then; of several who ask at once, each gets another."""
        newest = await run_call(self._conversations.pop, self.session_id)
        return None if newest is None else newest.value

    async def clear_session(self) -> None:
        await run_call(self._clear)

    def _clear(self) -> None:
        self._conversations.delete(self._conversations.all(self.session_id))


def memory_tools(
    over: Union[Agent, Connection], *, trust: TrustLike = Trust.UNTRUSTED, source: str = "openai_agents"
) -> list[FunctionTool]:
    """remember, recall, ask and why as tools of a model, over an anima.Agent or a connection.

    `trust`: how far what the model remembers is trusted; its words are nobody's order. `source`: where that
    came from. Over a connection both are those of its token. What fails is told to the model.
    """
    if not isinstance(over, (Agent, Connection)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _errors.wrong_type(
            f"tools of memory do not work over a {type(over).__name__}",
            "anima.Agent.open(memory), or anima.connect()",
        )

    def keep(text: str) -> str:
        if isinstance(over, Agent):
            return over.remember(text, trust=trust, source=source)
        return over.remember(text)

    async def remember(text: str) -> str:
        """Keeps a text for later conversations.

        Args:
            text: One or a few plain sentences that can be understood by themselves.
        """
        return f"remembered as {await run_call(keep, text)}"

    async def recall(question: str) -> str:
        """Tells what the memory holds on a question, with where each comes from.

        Args:
            question: What is to be known.
        """
        return (await run_call(over.recall, question)).text

    async def ask(question: str) -> str:
        """Answers a question exactly from the facts of the memory, or says that it is not understood.

        Args:
            question: A question in plain words, like "Which services run on borea?".
        """
        return str(await run_call(over.ask, question))

    async def why(fact: str) -> str:
        """Proves a fact: from what it follows, and who stated that.

        Args:
            fact: A fact as `ask` tells it, like "db runs_on".
        """
        memory = over.memory if isinstance(over, Agent) else over
        return str(await run_call(memory.why, fact))

    return [
        function_tool(tool, failure_error_function=_told) for tool in (remember, recall, ask, why)
    ]


def _told(_: Any, error: Exception) -> str:
    """What the model is told of an error of the memory. Errors of others are raised."""
    if isinstance(error, _errors.Error):
        return f"{error.code}: {error}"
    raise error
