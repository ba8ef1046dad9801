"""A chat store, a memory and a memory block for LlamaIndex, over a memory.

    from anima.adapters.llama_index import AnimaChatStore, AnimaMemory, AnimaMemoryBlock

    chat = AnimaMemory.from_defaults(chat_store=AnimaChatStore(memory), chat_store_key="ada")
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Union

from .. import _errors
from .._agent import Agent
from .._aio_calls import run_call
from .._convert import AuthorLike, number_of
from .._remote import Connection
from .._values import Json, Trust, TrustLike
from ._conversation import Conversations, Message
from ._missing import needs
from ._records import Space, data_of

with needs("llama_index"):
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.llms import LLM
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.memory.types import DEFAULT_CHAT_STORE_KEY, BaseChatStoreMemory
    from llama_index.core.storage.chat_store import BaseChatStore

__all__ = ["AnimaChatStore", "AnimaMemory", "AnimaMemoryBlock"]

Recalls = Union[Agent, Connection]
_BUDGET = 1500  # tokens


class AnimaChatStore(BaseChatStore):
    """Messages under keys, in an anima.Memory or in what anima.connect() gives.

    Each message is a thing of the memory; each call that writes is one entry of the log, with its author, and
    can be undone. A message comes back the same, with its calls of tools, images and documents; what its
    JSON would change is a WrongType. It is untrusted unless `author` says otherwise, and no search and no
    recall finds it.
    """

    _conversations: Conversations = PrivateAttr()

    def __init__(self, memory: Space, *, author: AuthorLike | None = None) -> None:
        super().__init__()
        self._conversations = Conversations(memory, "llama_index", author)

    @classmethod
    def class_name(cls) -> str:
        return "AnimaChatStore"

    def __getstate__(self) -> dict[str, Any]:
        raise _not_pickled()

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """In place of all that is there, also of what others add meanwhile."""
        self._conversations.add(key, [_told(message) for message in messages], instead=True)

    def get_messages(self, key: str) -> list[ChatMessage]:
        return [_message_of(each) for each in self._conversations.all(key)]

    def add_message(self, key: str, message: ChatMessage) -> None:
        self.add_messages(key, [message])

    def add_messages(self, key: str, messages: Sequence[ChatMessage]) -> None:
        """In one entry of the log."""
        self._conversations.add(key, [_told(message) for message in messages])

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        """Gives them; None where there is none."""
        found = self._conversations.all(key)
        self._conversations.delete(found)
        return [_message_of(each) for each in found] or None

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Gives it; None where there is none."""
        found = self._conversations.all(key)
        if not -len(found) <= idx < len(found):
            return None
        return _message_of(found[idx]) if self._conversations.delete([found[idx]]) else None

    def delete_last_message(self, key: str) -> ChatMessage | None:
        newest = self._conversations.pop(key)
        return None if newest is None else _message_of(newest)

    def get_keys(self) -> list[str]:
        """Those that have a message, sorted."""
        return self._conversations.keys()


def _not_pickled() -> _errors.Unsupported:
    hint = "keep its key, and make it again over the opened memory"
    return _errors.Unsupported("what works over an open memory is not pickled", hint=hint)


def _told(message: ChatMessage) -> dict[str, Json]:
    """Its JSON, from which it can be made again. Errors: WrongType where it cannot."""
    problem = "it would come back as something else"
    try:
        data_of(message.additional_kwargs, "additional_kwargs")
        told = message.model_dump(mode="json")
        if ChatMessage.model_validate(json.loads(json.dumps(told))) == message:
            return told
    except Exception as error:  # whatever pydantic, a block or a value of others raises
        problem = str(error).split("\n")[0]
    raise _errors.wrong_type(
        f"this message cannot be kept: {problem}",
        "additional_kwargs and tool_kwargs hold None, bool, int, float, str, list, and dict with str keys",
    )


def _message_of(kept: Message) -> ChatMessage:
    return ChatMessage.model_validate(kept.value)


class AnimaMemory(BaseChatStoreMemory):
    """A chat's messages, and in front of them what the memory holds on the question.

    `recall`: an anima.Agent or a connection; without one get() gives the messages alone. What it recalls is
    a system message, fenced and labelled with its trust, of at most `budget_tokens` tokens; it is not kept.
    """

    budget_tokens: int = _BUDGET
    _recall: Recalls | None = PrivateAttr(default=None)

    def __init__(
        self, *, chat_store: BaseChatStore | None = None, recall: Recalls | None = None, **fields: Any
    ) -> None:
        if chat_store is None:
            raise _errors.InvalidArgument(
                "a chat is kept nowhere yet", hint="chat_store=AnimaChatStore(memory)"
            )
        super().__init__(chat_store=chat_store, **fields)
        self._recall = recall

    @classmethod
    def class_name(cls) -> str:
        return "AnimaMemory"

    @classmethod
    def from_defaults(
        cls,
        chat_history: list[ChatMessage] | None = None,
        llm: LLM | None = None,
        *,
        chat_store: BaseChatStore | None = None,
        chat_store_key: str = DEFAULT_CHAT_STORE_KEY,
        recall: Recalls | None = None,
        budget_tokens: int = _BUDGET,
        **others: Any,
    ) -> AnimaMemory:
        """`chat_store`: an AnimaChatStore. `chat_history` is written in place of what is under the key."""
        if others:
            raise _errors.InvalidArgument(
                f"AnimaMemory has no {', '.join(sorted(others))}",
                hint="ChatMemoryBuffer.from_defaults(chat_store=AnimaChatStore(memory)) cuts to tokens",
            )
        made = cls(
            chat_store=chat_store,
            chat_store_key=chat_store_key,
            recall=recall,
            budget_tokens=number_of(budget_tokens, "budget_tokens"),
        )
        if chat_history is not None:
            made.set(chat_history)
        return made

    def __getstate__(self) -> dict[str, Any]:
        raise _not_pickled()

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """All messages. `input`: the question; without one that is the newest message of the user."""
        messages = self.get_all()
        question = input or _newest_of_user(messages)
        if self._recall is None or not question:
            return messages
        known = self._recall.recall(question, budget_tokens=self.budget_tokens)
        front = [ChatMessage(role=MessageRole.SYSTEM, content=known.text)] if known.text else []
        return [*front, *messages]

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        return await run_call(self.get, input, **kwargs)


class AnimaMemoryBlock(BaseMemoryBlock[str]):
    """What a memory holds on the newest message of the user, as a block of LlamaIndex's Memory.

    `over`: an anima.Agent or a connection. The texts of users and assistants that leave the short-term memory
    are remembered, `trust` says how far they are trusted; over a connection that is its token's. What reads
    like an order is quarantined. Images and calls of tools are left to the chat store.
    """

    name: str = "anima"
    budget_tokens: int = _BUDGET
    _over: Recalls = PrivateAttr()
    _trust: TrustLike = PrivateAttr()
    _source: str = PrivateAttr()

    def __init__(
        self,
        over: Recalls,
        *,
        trust: TrustLike = Trust.UNTRUSTED,
        source: str = "llama_index",
        **fields: Any,
    ) -> None:
        super().__init__(**fields)
        self._over, self._trust, self._source = over, trust, source

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        question = _newest_of_user(messages or [])
        return await run_call(self._recalled, question) if question else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        for message in messages:
            if message.role in (MessageRole.USER, MessageRole.ASSISTANT) and message.content:
                await run_call(self._keep, message.content)

    def _recalled(self, question: str) -> str:
        return self._over.recall(question, budget_tokens=self.budget_tokens).text

    def _keep(self, text: str) -> None:
        with suppress(_errors.Denied):  # it is in quarantine, where the owner sees it
            if isinstance(self._over, Agent):
                self._over.remember(text, trust=self._trust, source=self._source)
            else:
                self._over.remember(text)


def _newest_of_user(messages: Sequence[ChatMessage]) -> str:
    said = (message.content for message in reversed(messages) if message.role == MessageRole.USER)
    return next(said, None) or ""
