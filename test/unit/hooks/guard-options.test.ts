import { describe, expect, it } from "vitest";
import { folder } from "../engine/orcs/engine.ts";
import { OPTION_ROWS } from "./guard-option-rows.ts";
import { guard } from "./guard-rig.ts";
import { PROJECT } from "./path-guard-lines.ts";

describe.each(OPTION_ROWS)("orcs:$policy with $options", (rows) => {
  it("decides by its options", async () => {
    const empty = rows.policy === "path-guard" ? PROJECT : folder();
    const rig = await guard(rows.policy, rows.cwd ?? empty, rows.options);
    for (const verdict of ["refuse", "ask", "pass"] as const)
      await rig.expectCommands(verdict, rows[verdict] ?? []);
    const found = [];
    for (const [tool, args] of rows.calls ?? [])
      found.push([tool, args, (await rig.call(tool, args)).verdict]);
    expect(found).toEqual(rows.calls ?? []);
  });
});
