"""Carries out cases with the Python client: one JSON object a line in, one out. The first argument is its folder."""

import json
import sys

sys.path.insert(0, sys.argv[1])
from orcs_hooks import Client, Denied, ServiceError  # noqa: E402


class Raised(Exception):
    pass


def carry_out(client, do):
    options = do.get("options", {})
    if "dispatch" in do:
        return vars(client.dispatch(do["dispatch"], do["payload"], **options))
    if "explain" in do:
        return vars(client.explain(do["explain"], do["payload"], **options))
    if "state" in do:
        return client.state(**({} if do["state"] is None else {"key": do["state"]}))
    ran, ends = [], iter(do["run"])

    def run(args):
        ran.append(args)
        end = next(ends)
        if "error" in end:
            raise Raised(end["error"])
        return end["result"]

    try:
        return {"ran": ran, "result": client.invoke(do["invoke"], do["args"], run, **options)}
    except Denied as denied:
        return {"ran": ran, "denied": {"hook": denied.hook, "reason": denied.reason}}
    except Raised as raised:
        return {"ran": ran, "raised": str(raised)}
    except ServiceError as error:
        return {"ran": ran, "error": error.code}


for line in sys.stdin:
    case = json.loads(line)
    given = case["client"]
    client = Client(
        service=case["service"],
        timeout=given.get("timeoutMs", 30_000) / 1000,
        reconnect=given.get("reconnectMs", 5_000) / 1000,
        allow=given.get("unavailable") == "allow",
    )
    try:
        result = carry_out(client, case["do"])
    except ServiceError as error:
        result = {"error": error.code}
    client.close()
    print(json.dumps(result), flush=True)
