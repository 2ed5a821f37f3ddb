import type { Part } from "../programs/arguments.ts";
import type { DescribedCommand } from "../programs/dictionary.ts";
import type { Role } from "../programs/notation.ts";
import type { EffectDetails, EffectList } from "./effect-list.ts";

type AddEffects = (
  part: Part,
  described: DescribedCommand,
  found: EffectList,
  details: EffectDetails,
) => void;

/** What a part does, by its role. Roles that are not here have no effect of their own. */
const EFFECTS: Partial<Record<Role, AddEffects>> = {
  reads: (part, _, found, details) => found.file("read", part, details),
  list: (part, _, found, details) => found.file("read", part, details),
  writes: (part, _, found, details) => found.file("write", part, details),
  makes: (part, _, found, details) => found.file("write", part, details),
  into: (part, _, found, details) => found.file("write", part, details),
  below: (part, _, found, details) => found.file("write", part, { recursive: true, ...details }),
  edits: (part, _, found, details) => {
    found.file("read", part, details);
    found.file("write", part, details);
  },
  removes: (part, described, found, details) =>
    found.file("remove", part, { ...recursion(described), unfollowed: true, ...details }),
  moves: (part, _, found, details) =>
    found.file("remove", part, { recursive: true, unfollowed: true, ...details }),
  attributes: (part, described, found, details) =>
    found.file("attributes", part, { ...recursion(described), ...details }),
  data: (part, _, found) => {
    const name = /(?:^|=)[@<](.+)$/s.exec(part.text)?.[1];
    if (name !== undefined) found.file("read", { ...part, text: name });
  },
  exports: (part, _, found) => {
    const text =
      /(?:^|,)dest=([^,]+)/.exec(part.text)?.[1] ?? (part.text.includes("=") ? "" : part.text);
    found.file("write", { ...part, text });
  },
  script: (part, _, found) => {
    found.file("read", part);
    found.file("run", part);
  },
  program: (part, _, found) => found.add("run", part),
  host: (part, _, found) => found.connect(part),
  url: (part, _, found) => found.connect(part),
  sends: (part, _, found, details) => found.file("read", part, details),
  signal: (part, _, found) => found.add("signal", part),
  package: (part, _, found) => found.add("install", part),
  system: (part, _, found) => found.add("system", part),
};

function recursion({ args }: DescribedCommand): { readonly recursive?: true } {
  return args.meanings.has("recursive") ? { recursive: true } : {};
}

/** List what a part of a command does. */
export function addByRole(
  part: Part,
  described: DescribedCommand,
  found: EffectList,
  details: EffectDetails = {},
): void {
  EFFECTS[part.role]?.(part, described, found, details);
}
