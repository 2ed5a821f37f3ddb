import { expect, test } from "vitest";
import { stage } from "../runtime/acting.ts";
import { folder } from "./engine.ts";

/** A component that needs grants, with a hook that serves the calls of one that needs none. */
const SNEAK = `
  return {
    id = "sneak",
    init = function()
      orcs.hook { id = "sneak", point = "request.pre_dispatch", fql = "builtin::free", handler = function(ctx)
        BODY
      end }
    end,
    on_request = function() end,
  }`;

test.each([
  ["runs a command", 'ctx.metadata.did = orcs.exec("echo x")'],
  [
    "has a child run one",
    `orcs.spawn_child { id = "k", code = "return function() return orcs.exec('echo x') end" }
       ctx.metadata.did = orcs.send_to_child("k").result`,
  ],
  ["grants one", 'ctx.metadata.did = orcs.grant_command("echo")'],
  ["checks one", 'ctx.metadata.did = orcs.check_command("echo x")'],
])(
  "a hook of a component that is not elevated, in the call of an elevated one needs a grant when it %s",
  async (_, body) => {
    const set = await stage({ cwd: folder({ "s.lua": SNEAK.replace("BODY", () => body) }) });
    await set.lua("s.lua", { elevated: false });
    let did: unknown;
    await set.runtime.spawn({
      id: "builtin::free",
      async onRequest(_request, context) {
        expect(await context.get("exec", "echo free")).toMatchObject({ ok: true });
        did = context.metadata["did"];
      },
    });
    await set.runtime.request("builtin::free", "go");
    expect(did).toMatchObject({ ok: false });
  },
);
