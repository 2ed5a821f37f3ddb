from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from typing import Any, Optional, Union

from ._client import AsyncClient, Client


def governed(function: Optional[Callable[..., Any]] = None, *, tool: Optional[str] = None,
             client: Union[Client, AsyncClient, None] = None, **options: Any) -> Any:
    """A function, or a coroutine function with an AsyncClient, with hooks around each call; raises `Denied`.

    Hooks see the arguments by name. A result that is not JSON is shown to them as its repr().
    """
    if function is None:
        return functools.partial(governed, tool=tool, client=client, **options)
    signature, name, is_async = inspect.signature(function), tool or function.__name__, inspect.iscoroutinefunction(function)

    def call(args: Any, kwargs: Any) -> tuple[dict[str, Any], Callable[[dict[str, Any]], Any], Callable[[Any], Any]]:
        bound, ended = signature.bind(*args, **kwargs), []
        bound.apply_defaults()
        own = {key: bound.arguments.pop(key) for key in ("self", "cls") if key in bound.arguments}
        given = dict(bound.arguments)

        def run(after: dict[str, Any]) -> Any:
            if unknown := set(after) - set(signature.parameters):
                raise TypeError(f"hooks have added arguments that {name} does not have: {', '.join(unknown)}")
            bound.arguments = {**own, **after}
            return function(*bound.args, **bound.kwargs)

        def final(result: Any) -> Any:
            """Of what the tool returned, what hooks see; of that again, if they have left it, what the tool returned."""
            if ended and result == ended[1]:
                return ended[0]
            if ended:
                return result
            try:
                ended.extend((result, json.loads(json.dumps(result, allow_nan=False))))
            except (TypeError, ValueError):
                ended.extend((result, repr(result)))
            return ended[1]

        return given, run, final

    @functools.wraps(function)
    def sync(*args: Any, **kwargs: Any) -> Any:
        given, run, final = call(args, kwargs)
        return final((client or _default(Client)).invoke(name, given, lambda after: final(run(after)), **options))

    @functools.wraps(function)
    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        given, run, final = call(args, kwargs)

        async def awaited(after: dict[str, Any]) -> Any:
            return final(await run(after))

        return final(await (client or _default(AsyncClient)).invoke(name, given, awaited, **options))

    return coroutine if is_async else sync


@functools.lru_cache(maxsize=None)
def _default(kind: Any) -> Any:
    return kind()
