import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { OrcsClient } from "../../src/daemon/client/client.ts";
import { serviceRig } from "../unit/daemon/service-rig.ts";
import { folder } from "../unit/engine/orcs/engine.ts";

const PYTHON = `
import sys
sys.path.insert(0, sys.argv[1])
from orcs_hooks import Client, Denied, governed

client = Client(service=sys.argv[2])
class Token:
    pass

def told(make):
    def work():
        return make()
    try:
        return type(governed(work, client=client, tool=sys.argv[3])()).__name__
    except Denied as denied:
        return denied.reason
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def fail():
    raise ValueError("no access with TOKEN")

def plain():
    raise ValueError("plain")

makes = [lambda: (i for i in [1]), lambda: iter([1]), lambda: sys.stdout,
         lambda: Token(), lambda: {"a": (1, 2)}, fail, plain]
print("\\n".join(told(make) for make in makes))
`;

const CONFIG = (onError: string): string => `[[hooks]]
id = "mask"
point = "tool.post_execute"
match = { tool = "masked" }
on_error = "${onError}"
handler_inline = "if ctx.payload.result then ctx.payload.result = orcs.redact(ctx.payload.result) end"

[[hooks]]
point = "tool.on_failure"
handler_inline = 'ctx.payload.error = ctx.payload.error:gsub("TOKEN", "[masked]")'
`;

async function service(onError: string): Promise<string> {
  vi.stubEnv("XDG_CONFIG_HOME", folder({ "orcs/orcs.toml": "self_guard = false\n" }));
  const { address } = await serviceRig({ "orcs.toml": CONFIG(onError) });
  return address.wellKnown;
}

test.runIf(spawnSync("python3", ["--version"]).status === 0)(
  "Python: a closed hook withholds what it cannot read, and masks the text of an error",
  async () => {
    const run = async (file: string, tool: string): Promise<string[]> => {
      const clients = fileURLToPath(new URL("../../clients/python", import.meta.url));
      const child = spawn("python3", ["-c", PYTHON, clients, file, tool]);
      let text = "";
      for await (const piece of child.stdout) text += String(piece);
      return text.trim().split("\n");
    };
    const errors = ["RuntimeError: no access with [masked]", "ValueError: plain"];
    const closed = await service("closed");
    const withheld = await run(closed, "masked");
    expect(withheld.slice(0, 4)).toEqual([
      expect.stringContaining("a generator"),
      expect.stringContaining("a list_iterator"),
      expect.stringContaining("a TextIOWrapper"),
      expect.stringContaining("a Token"),
    ]);
    expect(withheld.slice(4)).toEqual(["dict", ...errors]);
    expect(await run(closed, "other")).toEqual([
      "generator",
      "list_iterator",
      "TextIOWrapper",
      "Token",
      "dict",
      ...errors,
    ]);
  },
);

test("the TypeScript client throws the text that a hook has put in place of an error's own", async () => {
  const client = new OrcsClient({ service: await service("closed") });
  const failing = (text: string): Promise<unknown> =>
    client.invoke("t", {}, () => Promise.reject(new TypeError(text)));
  await expect(failing("with TOKEN")).rejects.toThrow(/^with \[masked\]$/);
  await expect(failing("plain")).rejects.toThrow(TypeError);
  client.close();
});
