import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Orcs } from "../../../src/engine/index.ts";
import { openOrcs, undone } from "./undone.ts";
import { LINES, TREES } from "./work-trees.ts";

let orcs: Orcs;
beforeAll(async () => void (orcs = await openOrcs()));
afterAll(() => orcs.close());

describe.each(Object.keys(TREES))("in a work tree that is %s", (tree) => {
  test.each(LINES)("%s", async (line) => {
    const { denied, differs, changed } = await undone(orcs, tree, line);
    if (process.env["UNDO_LOG"])
      console.log(JSON.stringify({ tree, line, denied, differs, changed }));
    expect(differs).toEqual([]);
  });
});
