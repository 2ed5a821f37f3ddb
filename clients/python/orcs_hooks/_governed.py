from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from typing import Any, Optional, Union

from ._client import AsyncClient, Client, Object, Opaque


def governed(function: Optional[Callable[..., Any]] = None, *, tool: Optional[str] = None,
             client: Union[Client, AsyncClient, None] = None, **options: Any) -> Any:
    """A function, or a coroutine function with an AsyncClient, with hooks around each call; raises `Denied`.

    Hooks see the arguments by name, and cannot read a result that is not JSON.
    """
    if function is None:
        return functools.partial(governed, tool=tool, client=client, **options)
    signature, name = inspect.signature(function), tool or function.__name__

    def bind(args: Any, kwargs: Any) -> tuple[Object, Callable[[Object], Any]]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        own = {key: bound.arguments.pop(key) for key in ("self", "cls") if key in bound.arguments}
        given = dict(bound.arguments)

        def call(after: Object) -> Any:
            bound.arguments = {**own, **after}
            if set(after) - set(signature.parameters):
                raise TypeError(f"hooks have added arguments that {name} does not have")
            return function(*bound.args, **bound.kwargs)

        return given, call

    @functools.wraps(function)
    def governed_function(*args: Any, **kwargs: Any) -> Any:
        (given, call), kept = bind(args, kwargs), _Kept()
        asked = client or _default(Client)
        return kept.final(asked.invoke(name, given, lambda after: kept.shown(call(after)), **options))

    @functools.wraps(function)
    async def governed_coroutine(*args: Any, **kwargs: Any) -> Any:
        (given, call), kept = bind(args, kwargs), _Kept()

        async def run(after: Object) -> Any:
            return kept.shown(await call(after))

        return kept.final(await (client or _default(AsyncClient)).invoke(name, given, run, **options))

    return governed_coroutine if inspect.iscoroutinefunction(function) else governed_function


class _Kept:
    """A result as the tool returned it, and as hooks see it."""

    def shown(self, result: Any) -> Any:
        try:
            self.pair = (result, json.loads(json.dumps(result, allow_nan=False)))
        except (TypeError, ValueError):
            shown = Opaque(repr(result))
            shown.what = f"a {type(result).__name__}"
            self.pair = (result, shown)
        return self.pair[1]

    def final(self, result: Any) -> Any:
        whole, seen = getattr(self, "pair", (None, None))
        return whole if result == seen else result


@functools.lru_cache(maxsize=None)
def _default(kind: Any) -> Any:
    return kind()
