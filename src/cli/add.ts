import { isAbsolute } from "node:path";
import {
  expectLocked,
  extendsList,
  type HookPackage,
  lockedPackage,
  readLock,
  withExtended,
} from "../config/index.ts";
import { OrcsError } from "../core/index.ts";
import { statusOf, textOf, writeAtomically } from "./atomic-writes.ts";
import { escapeUntrusted } from "./table.ts";
import { printEither } from "./output.ts";
import { installPrograms, packageHooks, previewText } from "./packages/package-preview.ts";
import {
  changeTo,
  lockChanges,
  nameOf,
  packageProject,
  packageSpec,
  packageVerb,
  readSpec,
  treeOf,
  writtenSpec,
} from "./packages/package-project.ts";
import type { PackageOptions, PackageProject, PackageSpec } from "./packages/package-project.ts";

/** `orcs package add`: use the hooks of a package. */
export const addCommand = packageVerb(
  "add",
  "It installs nothing and runs nothing of the package: install it first, with --ignore-scripts.\n\n" +
    "Example:\n  npm install --save-dev --ignore-scripts @acme/guards\n  orcs package add @acme/guards\n  orcs trust",
  add,
);

async function add(options: PackageOptions, word: string): Promise<void> {
  const { dryRun = false, json = false } = options;
  const project = packageProject(options);
  const spec = packageSpec(word, project);
  const tree = treeOf(project.file);
  expectTrustable(spec, project);
  const found = readSpec(spec, project);
  expectOnlyOne(found, spec, tree, project);
  const before = textOf(project.shown, project.file);
  const after = await withExtended(before ?? "", spec.from);
  const lock = new Map(readLock(project.directory));
  // What the lock has was accepted; a difference is accepted by orcs package update only.
  if (spec.name !== undefined && lock.has(spec.name)) expectLocked(found, lock);
  else if (spec.name !== undefined) lock.set(spec.name, lockedPackage(found));
  const changes = [changeTo(project, before, after), ...lockChanges(project, lock)];
  const changed = changes.filter((change) => statusOf(change) !== "unchanged");
  if (!dryRun) writeAtomically(changed);
  const added = { found, spec, project, dryRun, changed: changed.map(({ path }) => path) };
  printEither(json, asJson(added), () => asText(added));
}

/** What a discovered configuration runs is in its folder. @throws OrcsError ORCS8003 */
function expectTrustable({ from }: PackageSpec, { next, shown }: PackageProject): void {
  if (next === undefined || !(from.startsWith("../") || from === ".." || isAbsolute(from))) return;
  const why = `${from} is outside of the folder of ${shown}, so orcs trust would refuse it: move it into that folder, publish it as a package, or use --user`;
  throw new OrcsError("ORCS8003", why, { path: from });
}

/** Two packages of one name cannot be told apart. @throws OrcsError ORCS1006 */
function expectOnlyOne(
  { name }: HookPackage,
  { from }: PackageSpec,
  tree: unknown,
  project: PackageProject,
): void {
  for (const other of extendsList(tree)) {
    if (other === from || nameOf(writtenSpec(other), project) !== name) continue;
    const why = `${from} is the package ${name}, as is ${other}: remove that first with orcs package remove ${other}`;
    throw new OrcsError("ORCS1006", why, { package: name });
  }
}

interface Added {
  readonly found: HookPackage;
  readonly spec: PackageSpec;
  readonly project: PackageProject;
  readonly dryRun: boolean;
  /** Files that are written. */
  readonly changed: readonly string[];
}

function asJson({ found, spec, project, dryRun, changed }: Added) {
  return {
    dry_run: dryRun,
    name: found.name,
    version: found.version,
    from: spec.from,
    changed,
    hooks: packageHooks(found),
    options: found.options,
    install_scripts: installPrograms(found),
    ...(project.next !== undefined && { next: project.next }),
  };
}

function asText({ found, spec, project, dryRun, changed }: Added): string {
  const done = changed.length === 0 ? "is in" : dryRun ? "would be added to" : "is added to";
  const next = changed.length > 0 && !dryRun && project.next !== undefined;
  const lines = [
    `${spec.from} ${found.version} ${done} ${project.shown}`,
    ...(changed.length > 0 ? [`${dryRun ? "would write" : "written"}: ${changed.join(", ")}`] : []),
  ].map(escapeUntrusted);
  const end = next ? [`next: ${project.next}`] : [];
  return [...lines, "", previewText(found), "", ...end].join("\n").trimEnd();
}
