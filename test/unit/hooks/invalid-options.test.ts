import { expect, test } from "vitest";
import { errorOf, open } from "../engine/orcs/engine.ts";
import { INVALID_OPTIONS } from "./invalid-options.ts";

test.each(Object.entries(INVALID_OPTIONS))(
  "orcs:%s reports invalid options and does not load",
  async (policy, invalid) => {
    const hooks = invalid.map(([options]) => ({ script: `orcs:${policy}`, options }));
    const { diagnostics } = await errorOf(open({ config: { hooks } }));
    expect(diagnostics).toHaveLength(invalid.length);
    invalid.forEach(([, message], i) => expect(diagnostics[i]?.message).toMatch(message));
  },
);
