import type { Argument, Part } from "../../matching/index.ts";
import type { EffectCall } from "./command-effects.ts";
import type { EffectDetails } from "./effect-list.ts";
import { isGiven } from "./effect-list.ts";

/** Copies, moves and links: what they write at their target, or below it if that may be a folder. */
export function copy({ described, args, found, byRole }: EffectCall): void {
  const { parts, meanings } = args;
  const isRemote = described.row.isRemote ? isOfHost : (): boolean => false;
  const there = (text: string): string => (isRemote(text) ? text.replace(/^[^:]*:/, "") : text);
  const target = parts.find(({ role }) => role === "into");
  const sources = parts.filter(({ role }) => ["reads", "moves", "links"].includes(role));
  const others = parts.filter((part) => part !== target && !sources.includes(part));
  byRole(others);
  const sends = target !== undefined && isRemote(target.text);
  const recursion = ["rsync", "ditto"].includes(described.name) ? { recursive: true as const } : {};
  const chosen = parts.some(({ role }) => role === "list") ? { sure: false } : {};
  const isHost = !/^(?:docker|kubectl)/.test(described.name);
  for (const part of isHost ? parts : []) {
    if (!isRemote(part.text) || part.option !== undefined) continue;
    found.connect({ ...part, text: part.text.replace(/^(?:rsync:\/\/)?([^/:]*):.*$/s, "$1") });
  }
  for (const source of sources) {
    if (sends && isHost) found.send(source);
    // Files of another machine have their paths there.
    const name = there(source.text);
    if (name !== source.text) found.file("read", { ...source, text: name }, { elsewhere: true });
    else {
      // A copy shows nothing; where it comes from stands beside what is written, unless that is not known.
      const shows: EffectDetails = sends ? {} : { shows: source.known ? "nothing" : "archive" };
      byRole([source], { ...recursion, ...chosen, ...shows });
    }
  }
  if (!target || meanings.has("makes") || isRemote(target.text)) return;
  const isMirrored = meanings.has("delete") && !meanings.has("dry") && sources.length > 0;
  if (isMirrored) found.file("remove", target, { sure: false, recursive: true });
  const isMove = sources.some(({ role }) => role !== "reads");
  const bringsFolders = isMove || meanings.has("recursive") || described.name === "ditto";
  const whole = meanings.has("whole");
  const to = target.text;
  // `ln -s ../x` creates `./x`.
  if (sources.length === 0) {
    if (described.name === "ln")
      found.file("write", { ...target, text: `./${base(target.text)}` }, from(target));
    return;
  }
  const brings = (name: string): { recursive?: true } =>
    bringsFolders && mayBeFolder(name) ? { recursive: true } : {};
  const isFolder =
    meanings.has("named") || sources.length > 1 || /(?:^|\/)\.{0,2}$/.test(target.text);
  const any = sources.some(({ text }) => brings(text).recursive === true);
  const [first] = sources;
  found.file("write", target, {
    sure: !isFolder,
    ...(any && { recursive: true }),
    ...(first && !isFolder && from(first)),
  });
  if (!isFolder && !whole && !mayHold(target.text)) return;
  for (const source of sources) {
    const names = namesBelow(source);
    if (!names) {
      found.file("write", target, { sure: false, recursive: true });
      continue;
    }
    for (const name of names) {
      if (name === "." || name === ".." || name === "") continue;
      const text = `${target.text.replace(/\/+$/, "")}/${name}`;
      found.file(
        "write",
        { ...target, text },
        {
          sure: isFolder && source.known,
          ...brings(there(source.text)),
          ...from(source),
        },
      );
    }
  }

  /** Where a copy comes from. A relative link begins in the folder of the link. */
  function from(source: Argument): { readonly from?: string } {
    const path = isRemote(source.text) ? undefined : found.pathOf(source);
    return path === undefined ? {} : { from: path };
  }

  /** The names that a source has below the target; undefined if they are not known. */
  function namesBelow(source: Part): readonly string[] | undefined {
    const text = source.text.replace(/^[\w.@-]+:/, "");
    if (source.known || !/[{`$…]/.test(base(text))) {
      return [whole ? text.replace(/^.*\/\.\//, "").replace(/^[./]*\//, "") : base(text)];
    }
    const predicted = found.predicted(base(text));
    if (predicted !== undefined) return [predicted];
    if (whole || !isGiven(text) || found.names.length === 0) return undefined;
    // Files of any name below a folder.
    if (found.names.some(({ sure = true }) => sure)) return undefined;
    // The one file that is found may get this name.
    if (!isFolder && !/[/.]/.test(to)) return [];
    const names = found.names.map(({ glob }) => base(glob));
    return names.includes("*") ? undefined : names;
  }
}

/** Whether a word names a file on another machine: `host:path`. */
export function isOfHost(text: string): boolean {
  return /^[^/]*:|^[\w-]+\/[\w.-]+:\//.test(text);
}

/** The last name of a path. */
export function base(text: string): string {
  return /([^/]+)\/*$/.exec(text)?.[1] ?? text;
}

/** Whether a target that is no folder by its spelling may be one: names with an extension are taken for files. */
function mayHold(target: string): boolean {
  return /^\.?[^.]*$/.test(base(target)) || base(target) === "..";
}

/** Whether a source may be a folder. Names with an extension and names in capitals (`LICENSE`) are taken for files. */
function mayBeFolder(source: string): boolean {
  const name = base(source);
  if (/[*?]$/.test(name)) return !/\.[\w*?]*$/.test(name);
  return /\/\.?$/.test(source) || (!/.\.\w+$/.test(name) && !/^[A-Z][A-Z_]*$/.test(name));
}
