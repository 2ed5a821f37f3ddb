import { expect } from "vitest";
import { both } from "./both.ts";

/** A denial at a post point in Lua, on the thread and on a worker; other languages: test/contract/deny-at-post.test.ts. */

const SECRET = "sk-very-secret-0123456789";
const WHY = "it holds a key";
const ANSWERS = {
  "orcs.deny": `return orcs.deny("${WHY}")`,
  "an action": `return { action = "abort", reason = "${WHY}" }`,
  "a decision": `return { decision = "deny", reason = "${WHY}" }`,
  "after an edit": `ctx.payload.result.text = "***" return orcs.deny("${WHY}")`,
  "after a wait": `orcs.sleep(1) return orcs.deny("${WHY}")`,
};

for (const [name, code] of Object.entries(ANSWERS)) {
  both(
    `${name} withholds the result from TypeScript and from Lua`,
    {
      hooks: [
        { point: "tool.post_execute", match: { tool: "fetch" }, handler_inline: code },
        {
          point: "prompt.pre_submit",
          handler_inline: `local got = orcs.get("fetch", {}) return orcs.inject(orcs.json_encode(got))`,
        },
      ],
    },
    async ({ orcs, lines }) => {
      const fetch = orcs.wrapTool("fetch", () => ({ text: SECRET }));
      const error: unknown = await fetch().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "ORCS2001", fields: { hook: "h1", reason: WHY } });
      const refused = { ok: false, error: `denied by hook h1: ${WHY}` };
      const got = await orcs.get("fetch", {});
      expect(got).toEqual(refused);
      const { inject } = await orcs.dispatch("prompt.pre_submit", { prompt: "go" });
      expect(inject.map((text) => JSON.parse(text as string) as unknown)).toEqual([refused]);
      expect(JSON.stringify([error, got, inject]) + String(error)).not.toContain(SECRET);
      expect(lines).toEqual([]);
    },
  );
}

both(
  "a misspelt denial passes no result",
  {
    hooks: [
      {
        point: "tool.post_execute",
        handler_inline: 'return { action = "abort", reason = "no", extra = 1 }',
      },
    ],
  },
  async ({ orcs }) => {
    orcs.wrapTool("fetch", () => ({ text: SECRET }));
    expect(await orcs.get("fetch", {})).toMatchObject({ ok: false });
  },
);
