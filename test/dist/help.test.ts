import { expect, test } from "vitest";
import { folder, orcs } from "./orcs.ts";

test("orcs help lists the pages, shows one and the options of a verb, and names the nearest page", async () => {
  const cwd = folder();
  expect((await orcs(["help"], { cwd })).stdout).toMatch(
    /^Start\n {2}start\/tutorial +ten minutes/m,
  );
  const list = JSON.parse((await orcs(["help", "--json"], { cwd })).stdout) as unknown[];
  expect(list.length).toBeGreaterThan(40);
  expect((await orcs(["help", "matchers"], { cwd })).stdout).toMatch(/^# Matchers\n/);
  expect((await orcs(["help", "explanation/trust"], { cwd })).stdout).toMatch(/^# Trust\n/);
  // The name of a verb is the verb.
  expect((await orcs(["help", "trust"], { cwd })).stdout).toMatch(/^Usage: orcs trust /);
  const unknown = await orcs(["help", "macthers", "--json"], { cwd });
  expect(unknown.code).toBe(2);
  expect(JSON.parse(unknown.stdout)).toMatchObject({
    error: { code: "ORCS9400", fields: { nearest: ["reference/matchers"] } },
  });
});
