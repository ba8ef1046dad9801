"""What somebody tries in the first hour, through the Python client of MCP: one call stores a fact, one asks for it."""
import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

BOSS = ('UPSERT { CONCEPT ?a { {type: "Employee", name: "Alice"} } '
        'CONCEPT ?b { {type: "Employee", name: "Bob"} SET PROPOSITIONS { ("manages", ?a) } } }')


async def main(anima, space):
    server = StdioServerParameters(command=anima, args=["mcp", "--space", space, "--schema", "open"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        assert {"ask", "remember", "recall", "execute_kip", "why"} <= {tool.name for tool in tools}
        stored = await session.call_tool("execute_kip", {"command": BOSS})
        assert not getattr(stored, "isError", getattr(stored, "is_error", False)), stored
        for name in ("Bob", "Alice"):
            answer = await session.call_tool("recall", {"question": name})
            text = "".join(part.text for part in answer.content)
            assert "Bob manages Alice" in text, text
        answer = await session.call_tool("ask", {"question": "Who manages Alice?"})
        assert "Bob" in "".join(part.text for part in answer.content), answer
    print("first hour ok")


asyncio.run(main(*sys.argv[1:]))
