import { expect, test } from "vitest";
import { parse } from "smol-toml";
import { configWith, initFiles, newConfig } from "../../../src/cli/init-files.ts";
import { suggestedPacks } from "../../../src/cli/suggested-packs.ts";
import { shellPacks } from "../../../scripts/generate/shell-rules.ts";
import { folder } from "../engine/orcs/engine.ts";

/** A path of a project and the packs that it says to be of use. */
const SIGNS: readonly (readonly [path: string, packs: readonly string[]])[] = [
  ["infra/main.tf", ["terraform"]],
  ["terragrunt.hcl", ["terraform"]],
  ["deploy/Chart.yaml", ["helm", "kubernetes"]],
  ["k8s/web.yaml", ["kubernetes"]],
  ["kustomization.yml", ["kubernetes"]],
  ["docker-compose.yml", ["docker"]],
  ["compose.yaml", ["docker"]],
  ["services/web/Dockerfile", ["docker"]],
  [".github/workflows/test.yml", ["github"]],
  [".gitlab-ci.yml", ["gitlab"]],
  [".circleci/config.yml", ["ci"]],
  ["Jenkinsfile", ["ci"]],
  ["prisma/schema.prisma", ["databases"]],
  ["db/schema.sql", ["databases"]],
  ["migrations/001_users.sql", ["databases"]],
  ["serverless.yml", ["infrastructure"]],
  ["Pulumi.yaml", ["infrastructure"]],
  ["cdk.json", ["aws", "infrastructure"]],
  ["azure-pipelines.yml", ["azure"]],
  ["cloudbuild.yaml", ["gcloud"]],
  ["wrangler.toml", ["cdn"]],
  ["vercel.json", ["hosting"]],
  ["etc/nginx.conf", ["load-balancers"]],
  ["prometheus.yml", ["monitoring"]],
  ["doppler.yaml", ["secrets"]],
  ["README.md", []],
  ["src/main.ts", []],
  ["docs/Dockerfile.md", []],
  ["test/.github/workflows/a.yml", []],
  ["node_modules/x/Dockerfile", []],
  ["a/b/c/d/e/Dockerfile", []],
];

test.each(SIGNS)("%s stands for %j", (path, packs) => {
  const found = suggestedPacks(folder({ [path]: "x\n" }));
  expect(found).toEqual(packs.map((pack) => ({ pack, file: path })));
});

test.each([
  ['{ "name": "a" }', ["registries"]],
  ['{ "name": "a", "private": false }', ["registries"]],
  ['{ "name": "a", "private": true }', []],
  ["{}", []],
  ["{", []],
  ["[]", []],
])("a package.json with %s stands for %j", (text, packs) => {
  const found = suggestedPacks(folder({ "package.json": text }));
  expect(found.map(({ pack }) => pack)).toEqual(packs);
});

test("a folder that does not exist stands for nothing", () => {
  expect(suggestedPacks("/nowhere/at/all")).toEqual([]);
});

test("all suggested packs exist", async () => {
  const known = (await shellPacks()).map(({ name }) => name);
  for (const pack of new Set(SIGNS.flatMap(([, packs]) => packs))) expect(known).toContain(pack);
  expect(known).toContain("registries");
});

test("the packs become an option of shell-guard", () => {
  const hook = { script: "orcs:shell-guard", options: { enable: ["docker", "terraform"] } };
  const text = newConfig(["shell-guard", "budget"], ["docker", "terraform"]);
  expect(parse(text)["hooks"]).toEqual([{ script: "guard.lua" }, hook, { script: "orcs:budget" }]);
  const added = configWith("debug = true\n", ["shell-guard"], ["docker", "terraform"]);
  expect(parse(added)["hooks"]).toEqual([{ script: "hooks/guard.lua" }, hook]);
  // A hook that is there already is the user's.
  expect(configWith(added, ["shell-guard"], ["aws"])).toBe(added);
  const [config] = initFiles(folder(), "exec", ["shell-guard"], ["aws"]);
  expect(config?.after).toContain('options = { enable = ["aws"] }');
});
