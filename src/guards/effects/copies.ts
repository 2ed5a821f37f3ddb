import type { Argument, Part } from "../programs/arguments.ts";
import type { EffectCall } from "./command-effects.ts";

/** Copies, moves and links: what they write at their target, or below it if that may be a folder. */
export function copy({ described, found, byRole }: EffectCall): void {
  const { parts, meanings } = described.args;
  const target = parts.find(({ role }) => role === "into");
  const sources = parts.filter(
    ({ role }) => role === "reads" || role === "moves" || role === "links",
  );
  byRole(parts.filter(({ role }) => role === "makes"));
  if (meanings.has("makes")) return;
  byRole(sources);
  const isMove = sources.some(({ role }) => role !== "reads");
  const mayBringFolders = isMove || meanings.has("recursive");
  if (!target) return;
  // `ln -s ../x` creates `./x`.
  if (sources.length === 0) {
    if (described.name.endsWith("ln"))
      found.file("write", { ...target, text: `./${base(target.text)}` }, { unfollowed: true });
    return;
  }
  onto(target, sources, mayBringFolders, meanings.has("whole"));

  function onto(to: Argument, from: readonly Part[], bringsFolders: boolean, whole: boolean): void {
    const brings = (source: Part): { recursive?: true } =>
      bringsFolders && mayBeFolder(source.text) ? { recursive: true } : {};
    const isFolder = meanings.has("named") || from.length > 1 || /(?:^|\/)\.{0,2}$/.test(to.text);
    found.file("write", to, {
      sure: !isFolder,
      ...(from.some((each) => brings(each).recursive) && { recursive: true }),
    });
    if (!isFolder && !whole && !mayHold(to.text)) return;
    for (const source of from) {
      const name = whole
        ? source.text.replace(/^.*\/\.\//, "").replace(/^[./]*\//, "")
        : base(source.text);
      if (name === "." || name === "..") continue;
      if (!source.known && /[{`$…]/.test(name))
        found.file("write", to, { sure: false, recursive: true });
      else
        found.file(
          "write",
          { ...to, text: `${to.text.replace(/\/+$/, "")}/${name}` },
          { sure: isFolder, ...brings(source) },
        );
    }
  }
}

/** The last name of a path. */
function base(text: string): string {
  return /([^/]+)\/*$/.exec(text)?.[1] ?? text;
}

/** Whether a target that is no folder by its spelling may be one: names with an extension are taken for files. */
function mayHold(target: string): boolean {
  return /^\.?[^.]*$/.test(base(target));
}

/** Whether a source may be a folder. Names with an extension and names in capitals (`LICENSE`) are taken for files. */
function mayBeFolder(source: string): boolean {
  const name = base(source);
  if (/[*?]$/.test(name)) return !/\.[\w*?]*$/.test(name);
  return /\/\.?$/.test(source) || (!/.\.\w+$/.test(name) && !/^[A-Z][A-Z_]*$/.test(name));
}
