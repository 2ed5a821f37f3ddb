from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Optional

from ._find import Lost, Service, ServiceError

Object = dict[str, Any]

VERSIONS = [1]
NOBODY = "orcs:client"
AGAIN = ("ORCS7017", "ORCS7018", "ORCS7019")  # No hook has run, and another service or connection may answer.
INVALID = ("ORCS1005", "ORCS1010", "ORCS2003", "ORCS7014")  # Errors of the program, which it should learn.
HAS_CALLER = ("dispatch", "invoke", "explain")
RUNS_HOOKS = (*HAS_CALLER, "result")
PAUSE = 0.025


class Denied(PermissionError):
    """A call was denied."""

    def __init__(self, hook: str, reason: str) -> None:
        super().__init__(f"denied by hook {hook}: {reason}")
        self.hook, self.reason = hook, reason


class Opaque(str):
    """The repr() of a result that is not JSON: hooks cannot read it, and those that fail closed withhold it."""

    what: str = "an object"


@dataclass(frozen=True)
class Outcome:
    """What the hooks of a point decided (docs/reference/wire.md)."""

    action: str
    payload: Object
    metadata: Object = field(default_factory=dict)
    inject: list[Any] = field(default_factory=list)
    decision: Optional[str] = None
    reason: Optional[str] = None
    hook: Optional[str] = None
    result: Any = None
    delay_ms: Optional[float] = None
    trace: list[Any] = field(default_factory=list)


class Client:
    """Asks the service of a folder. `timeout`, `reconnect`: seconds. `allow`: what it does not answer is allowed.

    Threads can share it. Errors of the request are raised as `ServiceError`; everything else that fails is denied.
    """

    def __init__(self, directory: Optional[str] = None, *, service: Optional[str] = None, timeout: float = 30,
                 reconnect: float = 5, allow: bool = False) -> None:
        self._place, self._timeout, self._reconnect, self._allow = (directory, service), timeout, reconnect, allow
        self._free: list[_Wire] = []
        self._was_connected = False
        self._service: Optional[Service] = None

    def dispatch(self, point: str, payload: Object, **options: Any) -> Outcome:
        try:
            return _outcome(self._ask("dispatch", point=point, payload=payload, **options))
        except ServiceError as error:
            try:
                self._expect_allowed(error)
                return Outcome("continue", payload, options.get("metadata", {}))
            except Denied as denied:
                return Outcome("abort", payload, options.get("metadata", {}), hook=denied.hook, reason=denied.reason)

    def invoke(self, tool: str, args: Object, run: Callable[[Object], Any], **options: Any) -> Any:
        """The result of a tool as its hooks leave it. @raises Denied, and what the tool raises"""
        call = Call(self, tool, args, options)
        call.begin()
        while call.args is not None:
            try:
                end, raised = {"result": run(call.args)}, None
            except Exception as error:
                end, raised = {"error": str(error) or repr(error)}, error
            call.report(end, raised)
        return call.result

    def explain(self, point: str, payload: Object, **options: Any) -> Outcome:
        return _outcome(self._ask("explain", point=point, payload=payload, **options))

    def state(self, **key: str) -> Object:
        """The active hooks; with `key="…"`, a value of orcs.state."""
        return self._ask("state", **key)

    def events(self) -> Iterator[Object]:
        """What hooks do from now on; the first batch is empty."""
        wire = _Wire(Service(*self._place).socket)
        try:
            yield _answer(wire.request(_line("events", {}), None))
            while True:
                yield _answer(wire.request(b"", None))
        finally:
            wire.close()

    def close(self) -> None:
        while self._free:
            self._free.pop().close()

    def _ask(self, op: str, **given: Any) -> Object:
        until, lost_at = time.monotonic() + self._timeout, 0.0
        while True:
            try:
                wire = self._free.pop() if self._free else self._connected(until)
                variables = self._service.variables() if self._service and op in HAS_CALLER else {}
                answer = wire.request(_line(op, {**variables, **given}), until, op in RUNS_HOOKS)
                self._free.append(wire)
                return _answer(answer)
            except ServiceError as error:
                is_gone, now = isinstance(error, Lost) or error.code in AGAIN, time.monotonic()
                lost_at = lost_at or now
                if is_gone:
                    self.close()
                if not (is_gone and self._was_connected) or now - lost_at > self._reconnect or now + PAUSE > until:
                    raise
            time.sleep(PAUSE)

    def _connected(self, until: float) -> _Wire:
        service = Service(*self._place)
        wire = _Wire(service.socket)
        version = _answer(wire.request(_line("hello", {"versions": VERSIONS}), until)).get("v")
        if version not in VERSIONS:
            raise ServiceError("ORCS7015", f"the service wants version {version!r}")
        self._was_connected, self._service = True, service
        return wire

    def _expect_allowed(self, error: ServiceError) -> None:
        if error.code in INVALID:
            raise error
        if not self._allow:
            raise Denied(NOBODY, str(error)) from error


class AsyncClient:
    """The same for asyncio: it waits for the service in threads, and runs tools in the event loop."""

    def __init__(self, directory: Optional[str] = None, **options: Any) -> None:
        self._client = Client(directory, **options)
        self.close = self._client.close

    async def dispatch(self, point: str, payload: Object, **options: Any) -> Outcome:
        return await asyncio.to_thread(self._client.dispatch, point, payload, **options)

    async def invoke(self, tool: str, args: Object, run: Callable[[Object], Awaitable[Any]], **options: Any) -> Any:
        call = Call(self._client, tool, args, options)
        await asyncio.to_thread(call.begin)
        while call.args is not None:
            try:
                end, raised = {"result": await run(call.args)}, None
            except Exception as error:
                end, raised = {"error": str(error) or repr(error)}, error
            await asyncio.to_thread(call.report, end, raised)
        return call.result


class Call:
    """A call whose tool runs here, with `args`, while there are some."""

    def __init__(self, client: Client, tool: str, args: Object, options: Object) -> None:
        self._client, self._tool, self._given, self._options = client, tool, args, options
        self.args: Optional[Object] = None
        self.result: Any = None
        self._step: Any = None
        self._told: Any = None
        self._began = 0.0

    def begin(self) -> None:
        try:
            self._take(self._client._ask("invoke", tool=self._tool, args=self._given, **self._options))
        except ServiceError as error:
            self._client._expect_allowed(error)
            self.args = self._given

    def report(self, end: Object, raised: Optional[Exception]) -> None:
        """Pass a result or an error to the post hooks."""
        self.args, self.result, is_failure = None, end.get("result"), True
        opaque = {"opaque": self.result.what} if isinstance(self.result, Opaque) else {}
        self._told = end.get("error")
        try:
            if self._step:  # Otherwise the service did not answer, which is allowed.
                is_failure = self._take(self._client._ask("result", call=self._step["call"], **end, **opaque))
        except ServiceError as error:
            if error.code == "ORCS7016":
                self._after_restart(end)
            else:
                self._client._expect_allowed(error)
        if raised and is_failure:
            # A hook may have replaced the text.
            raise raised if self._told in (None, end["error"]) else RuntimeError(self._told)

    def _take(self, step: Object) -> bool:
        """Whether the tool has ended, and failed."""
        self.args, self.result, status = step.get("args"), step.get("result"), step.get("status")
        if status not in ("run", "done", "failed"):
            raise Denied(step.get("hook", NOBODY), step.get("reason", "ORCS7015: the answer is not of version 1"))
        self._step, self._began, self._told = step, time.monotonic(), step.get("message")
        return bool(status == "failed")

    def _after_restart(self, end: Object) -> None:
        """The service does not know the call: the result passes the post hooks of the next one."""
        scope = dict(self._options)
        caller = {key: scope.pop(key) for key in ("session_id", "agent_id", "tool_use_id", "cwd") if key in scope}
        scope.pop("tool_ms", None)
        point = "tool.on_failure" if "error" in end else "tool.post_execute"
        elapsed = round((time.monotonic() - self._began) * 1000)
        payload = {**caller, "tool_name": self._tool, "args": self._step["args"], "elapsed_ms": elapsed, **end}
        done = self._client.dispatch(point, payload, **{**scope, "metadata": self._step["metadata"]})
        if done.action != "continue":
            raise Denied(done.hook or NOBODY, done.reason or f"{done.action}, and the service was started again")
        self.result, self._told = done.payload.get("result"), done.payload.get("error")


class _Wire:
    """A connection, for one request at a time."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(path)
        except OSError as error:
            raise ServiceError("ORCS7019", f"no service answers: {error}") from error
        self._answers, self.close = self._socket.makefile("rb"), self._socket.close

    def request(self, line: bytes, until: Optional[float], runs_hooks: bool = False) -> Object:
        """@raises Lost where no hook has run: without its end, the service does nothing with a line"""
        may_have_run = False
        try:
            self._socket.settimeout(until and max(0.001, until - time.monotonic()))
            self._socket.sendall(line)
            may_have_run = runs_hooks
            answer = json.loads(self._answers.readline())
            if isinstance(answer, dict):
                return answer
            raise ValueError("it is not an object")
        except (OSError, ValueError) as error:
            self._answers.close()
            self.close()
            if isinstance(error, socket.timeout):
                raise ServiceError("ORCS7002", "the service did not respond in time") from error
            if may_have_run:
                why = f"the service gave no answer: {error}; hooks may have run, so the request is not sent again"
                raise ServiceError("ORCS7002", why) from error
            raise Lost("ORCS7002", f"the service gave no answer: {error}") from error


def _line(op: str, given: Object) -> bytes:
    return json.dumps({"v": 1, "op": op, **given}, allow_nan=False).encode() + b"\n"


def _outcome(answer: Object) -> Outcome:
    if answer.get("action") not in ("continue", "skip", "abort", "retry") or "payload" not in answer:
        raise ServiceError("ORCS7015", "the answer is not of version 1")
    return Outcome(**{each.name: answer[each.name] for each in fields(Outcome) if each.name in answer})


def _answer(answer: Object) -> Object:
    if "error" not in answer:
        return answer
    error = answer["error"] if isinstance(answer["error"], dict) else {}
    raise ServiceError(str(error.get("code", "ORCS7015")), str(error.get("message", answer["error"])))
