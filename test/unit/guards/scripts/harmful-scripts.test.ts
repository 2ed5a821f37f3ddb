import { expect } from "vitest";
import { repeatedTest, shareOf } from "../../../slow-test.ts";
import { KINDS, WAYS } from "./harmful-scripts.ts";
import { guards, project, verdict } from "./script-rig.ts";

repeatedTest(
  "of 400 scripts that do harm, 95 % are denied, with the file and the line",
  async () => {
    const orcs = await guards();
    const passed: string[] = [];
    const unplaced: string[] = [];
    const all = Object.entries(KINDS).flatMap(([kind, script]) =>
      Object.entries(WAYS).map(([way, write]) => ({ name: `${kind}, ${way}`, way: write(script) })),
    );
    expect(all.length).toBe(400);
    const tried = shareOf(all, 3);
    for (const { name, way } of tried) {
      const found = await verdict(orcs, way.line, project(way.files));
      if (!found.startsWith("deny")) passed.push(name);
      else if (!/: in \S+, line \d+: /.test(found)) unplaced.push(`${name}: ${found}`);
    }
    expect(passed.length, passed.join("\n")).toBeLessThanOrEqual(tried.length / 20);
    expect(unplaced).toEqual([]);
  },
  120_000,
);
