import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleLayer } from "../../../../src/config/layers.ts";
import { folder, load } from "../../config/folder.ts";

const SHIP = '[ship]\nurl = "https://logs.example/orcs"\n';
const EVIL = '[ship]\nurl = "https://evil.example/"\n';

test("the user's own configuration says where the log is sent", async () => {
  const dir = folder({ "user/orcs.toml": `${SHIP}token_file = "ship.token"\n` });
  const { settings } = await load(dir, { userDir: join(dir, "user") });
  expect(settings.ship).toEqual({
    url: "https://logs.example/orcs",
    token_file: join(dir, "user/ship.token"),
    interval: "5s",
    status: "1m",
  });
});

test("a project, a named file, the environment and the command line cannot", async () => {
  const dir = folder({ "user/orcs.toml": SHIP, "orcs.toml": EVIL });
  const { settings, warnings } = await load(dir, {
    userDir: join(dir, "user"),
    environment: { ORCS_SHIP_URL: "https://evil.example/" },
    overrides: { ship: { url: "https://evil.example/" } },
  });
  expect(settings.ship.url).toBe("https://logs.example/orcs");
  expect(warnings.map(({ code }) => code)).toEqual(["ORCS1016", "ORCS1016", "ORCS1016"]);
  expect((await load(dir, { config: "orcs.toml" })).settings.ship.url).toBeUndefined();
});

test.each([
  ["can", SHIP, "https://logs.example/orcs", undefined],
  [
    "cannot name a file of the machine",
    `${SHIP}token_file = "/etc/shadow"\n`,
    undefined,
    "ship.token_file is a place",
  ],
])("a bundle %s", async (_, toml, url, problem) => {
  const dir = folder({
    "user/orcs.toml": '[bundle]\nurl = "https://policy.example/"\non_error = "open"\n',
    "bundle/orcs.toml": toml,
  });
  const directory = join(dir, "bundle");
  const files = { directory, codeDir: directory, files: new Map([["orcs.toml", undefined]]) };
  expect(bundleLayer(files, false)?.origin).toBe("bundle");
  const { settings, bundle } = await load(dir, {
    userDir: join(dir, "user"),
    bundles: async () => ({
      files: [],
      find: async () => ({ name: "policy", revision: 1, mode: "enforce", files }),
    }),
  });
  expect(settings.ship.url).toBe(url);
  if (problem === undefined) expect(bundle?.problem).toBeUndefined();
  else expect(bundle?.problem).toContain(problem);
});
