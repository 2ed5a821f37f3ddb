import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { openWith } from "../engine/orcs/engine.ts";

/** What lua/sha256.lua makes of texts. */
async function digests(texts: readonly string[]): Promise<unknown> {
  const orcs = await openWith(`
    local sha256 = require "sha256"
    local found = {}
    for i, text in ipairs(ctx.payload.args.texts) do found[i] = sha256(text) end
    return orcs.skip(found)`);
  const payload = { tool_name: "t", args: { texts } };
  const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
  return "result" in outcome ? outcome.result : outcome;
}

it("hooks/sha256.lua agrees with Node's SHA-256 at any length", async () => {
  const lengths = Array.from({ length: 140 }, (_, i) => "a".repeat(i));
  const drawn = fc.sample(fc.string({ unit: "binary", maxLength: 300 }), 200);
  const texts = [...lengths, "\0", "ÿ€😀".repeat(50), "b".repeat(8192), ...drawn];
  const expected = texts.map((text) => createHash("sha256").update(text).digest("hex"));
  expect(await digests(texts)).toEqual(expected);
});
