import { extendsList, packageNames, readLock, tomlTree, withoutExtended } from "../config/index.ts";
import { suggestion } from "../core/index.ts";
import { statusOf, textOf, writeAtomically } from "./atomic-writes.ts";
import { escapeUntrusted } from "./table.ts";
import { print, printJson } from "./output.ts";
import {
  changeTo,
  lockChanges,
  lockedNames,
  nameOf,
  packageProject,
  packageSpec,
  packageVerb,
  treeOf,
} from "./packages/package-project.ts";
import type { PackageOptions, PackageProject, PackageSpec } from "./packages/package-project.ts";

/** `orcs package remove`: no longer use the hooks of a package. */
export const removeCommand = packageVerb(
  "remove",
  "Its settings in [packages] and its entry in orcs.lock are removed, too. It stays installed.\n\n" +
    "Example:\n  orcs package remove @acme/guards && orcs trust",
  remove,
);

async function remove(options: PackageOptions, word: string): Promise<void> {
  const { dryRun = false, json = false } = options;
  const project = packageProject(options);
  const spec = packageSpec(word, project);
  const tree = treeOf(project.file);
  const before = textOf(project.shown, project.file);
  const isUsed = extendsList(tree).includes(spec.from);
  const text = before ?? "";
  // With its settings, unless a script of it is still used: settings of a package that is not used are an error.
  const bare = isUsed ? await withoutExtended(text, spec.from, undefined) : text;
  // That of a folder which is gone is not known, and its settings cannot be found.
  const name = nameOf(spec, project);
  const isLeft = packageNames(tomlTree(bare)).some((each) => each === name);
  const after = isUsed && !isLeft ? await withoutExtended(text, spec.from, name) : bare;
  const used = lockedNames(project, { tree: tomlTree(after) });
  const lock = new Map(readLock(project.directory));
  if (spec.name !== undefined && !used.includes(spec.name)) lock.delete(spec.name);
  const changes = [
    ...(isUsed ? [changeTo(project, before, after)] : []),
    ...lockChanges(project, lock),
  ];
  const changed = changes.filter((change) => statusOf(change) !== "unchanged");
  if (!dryRun) writeAtomically(changed);
  const paths = changed.map(({ path }) => path);
  if (json) {
    const next = project.next === undefined ? {} : { next: project.next };
    const left = { still_used: isUsed && isLeft };
    return printJson({ dry_run: dryRun, from: spec.from, changed: paths, ...left, ...next });
  }
  const lines = isUsed
    ? [
        `${spec.from} ${dryRun ? "would be removed" : "is removed"} from ${project.shown}`,
        `${dryRun ? "would write" : "written"}: ${paths.join(", ")}`,
        ...(isLeft ? ["a hook still uses one of its scripts"] : []),
        ...(dryRun || project.next === undefined ? [] : [`next: ${project.next}`]),
      ]
    : [notUsed(spec, tree, project)];
  print(lines.map(escapeUntrusted).join("\n"));
}

function notUsed({ from }: PackageSpec, tree: unknown, { shown }: PackageProject): string {
  const hint = suggestion(from, extendsList(tree));
  return `extends of ${shown} does not have ${from}: nothing to remove${hint}`;
}
