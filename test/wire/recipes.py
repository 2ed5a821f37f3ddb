"""Runs the recipes of clients/python/README.md with stand-ins for the documented call shapes of the libraries.

Arguments: the folder of the client, the README. The service denies commands with `deny`.
"""

import asyncio
import inspect
import re
import sys
import types

sys.path.insert(0, sys.argv[1])
text = open(sys.argv[2], encoding="utf-8").read()
blocks = re.findall(r"```python\n(.*?)```", text, re.S)


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    sys.modules[name] = made


# https://openai.github.io/openai-agents-python/tools/#function-tools
def function_tool(failure_error_function):
    def decorate(function):
        assert list(inspect.signature(function).parameters) == ["command"]
        assert function.__doc__ == "Run a command."

        async def on_invoke_tool(context, **arguments):
            try:
                return await function(**arguments)
            except Exception as error:
                return failure_error_function(context, error)

        return on_invoke_tool

    return decorate


# https://docs.langchain.com/oss/python/langchain/middleware/custom#wrap-style-hooks
class ToolMessage:
    def __init__(self, content, tool_call_id, name):
        self.content, self.tool_call_id, self.name = content, tool_call_id, name


class Request:
    def __init__(self, tool_call):
        self.tool_call = tool_call

    def override(self, tool_call):
        return Request(tool_call)


module("agents", function_tool=function_tool)
module("langchain")
module("langchain.agents")
module("langchain.agents.middleware", wrap_tool_call=lambda function: function)
module("langchain.messages", ToolMessage=ToolMessage)

openai = next(block for block in blocks if "from agents" in block)
langchain = next(block for block in blocks if "from langchain" in block)
for block in (openai, langchain):
    body = [line for line in block.splitlines() if line and not line.startswith(("from", "import"))]
    assert len(body) <= 11, "a recipe has ten lines"

names = {}
exec(openai, names)
print(asyncio.run(names["run_command"](None, command="ls")))
print(asyncio.run(names["run_command"](None, command="deny")))

names = {}
exec(langchain, names)
ran = []


def handler(request):
    ran.append(request.tool_call["args"])
    return ToolMessage(content=f"ran {request.tool_call['args']['command']}", tool_call_id="1", name="exec")


for command in ("ls", "deny"):
    call = {"name": "run_command", "args": {"command": command}, "id": "1"}
    print(names["hooks"](Request(call), handler).content)
print(len(ran))

names = {}
for block in (block for block in blocks if "from agents" not in block and "from langchain" not in block):
    exec(block, names)
