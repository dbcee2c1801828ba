"""MCP over stdio: one session for whoever is at the other end of this process's standard streams.

Tools are listed with the very schemas that training data and prompts hold. A refusal is a result with `isError` and the
same JSON text that an in-process caller gets; a failure of the infrastructure is an error of the protocol, since the
agent did nothing wrong. What only the user can do, and the control verbs of the session, are not offered.

    python -m envfactory.serving.mcp --environments hotel_reservations --seed 1 --size 60
"""

from __future__ import annotations

import argparse
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import anyio
import mcp_types as types
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

import envfactory
from envfactory.environment import DEFAULT_NOW, EnvironmentFailure, Reference, Session, ToolSpec

_CHUNK = 1 << 16
Context = ServerRequestContext[Any]


def serve_stdio(session: Session) -> None:
    """Serve a session over standard input and output until the input ends, or SIGTERM or SIGINT arrives.

    Whoever closes the input is gone, so what is under way then is not answered. Standard output carries the protocol
    and nothing else: what tools print goes to standard error. The session stays open. Call it from the main thread,
    since signals arrive there.
    """
    anyio.run(_serve, session)


def mcp_server(session: Session) -> Server[Any]:
    """Return a low-level MCP server that offers the agent's tools of one session."""
    tools = list(session.tools())
    listed = types.ListToolsResult(tools=[_listed(tool) for tool in tools])
    schemas = {tool.name: tool.input_schema for tool in listed.tools}

    async def list_tools(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    async def call_tool(_context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        # Called in place: a call takes microseconds, and one session has one call at a time anyway.
        try:
            result = session.call(params.name, params.arguments or {})
        except EnvironmentFailure as error:
            raise MCPError(types.INTERNAL_ERROR, f"{error.kind}: {error}") from error
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=result.text)]
        if not result.ok:
            return types.CallToolResult(content=content, is_error=True)
        return types.CallToolResult(content=content, structured_content=result.value)

    policies = (f"{spec.title}: {spec.policy}" for spec in session.specs.values())
    return Server(
        "envfactory",
        version=envfactory.__version__,
        instructions="\n\n".join(policies),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=schemas.get,
    )


def _listed(tool: ToolSpec) -> types.Tool:
    return types.Tool(
        name=tool.wire_name,
        description=tool.description,
        input_schema=orjson.loads(tool.parameters),
        output_schema=orjson.loads(tool.output_schema),
        annotations=types.ToolAnnotations(read_only_hint=not tool.writes),
    )


async def _serve(session: Session) -> None:
    server = mcp_server(session)
    async with anyio.create_task_group() as group:
        group.start_soon(_cancel_on_signal, group.cancel_scope)
        with _private_stdin() as descriptor:
            # The library reads in a thread, which a signal cannot interrupt; these lines can be cancelled.
            lines = cast("anyio.AsyncFile[str]", _lines(descriptor))
            async with stdio_server(stdin=lines) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()


@contextmanager
def _private_stdin() -> Generator[int]:
    """Move standard input to a descriptor of its own, so that no tool reads what is meant for the protocol."""
    private = os.dup(0)
    try:
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        yield private
    finally:
        os.dup2(private, 0)
        os.close(private)


async def _lines(descriptor: int) -> AsyncIterator[str]:
    mode = os.fstat(descriptor).st_mode
    # All else (a file, /dev/null) is always ready, and cannot be waited for.
    waits = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
    rest = b""
    while True:
        if waits:
            await anyio.wait_readable(descriptor)
        chunk = os.read(descriptor, _CHUNK)
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "replace")
        if not chunk:
            return


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve environments of the catalogue from a scenario; see `--help`."""
    from envfactory.catalogue import registry
    from envfactory.catalogue.digest import digests

    parser = argparse.ArgumentParser(prog="envfactory.serving.mcp", description="Serve environments as MCP over stdio.")
    parser.add_argument("--environments", nargs="+", required=True, metavar="NAME", help="which of the catalogue's")
    parser.add_argument("--seed", type=int, default=0, help="seed of the scenario (%(default)s)")
    parser.add_argument("--size", type=int, default=60, help="its size, roughly the number of records (%(default)s)")
    given = parser.parse_args(arguments)
    try:
        backend = registry.backend(given.environments)
    except KeyError as error:
        parser.error(str(error.args[0]))
    reference = Reference(environments=digests(given.environments), seed=given.seed, size=given.size, now=DEFAULT_NOW)
    with Session(backend, reference) as session:
        serve_stdio(session)


if __name__ == "__main__":
    main(sys.argv[1:])
