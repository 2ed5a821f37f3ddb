import type { Part } from "../programs/arguments.ts";
import type { DescribedCommand } from "../programs/dictionary.ts";
import type { Role } from "../programs/notation.ts";
import type { EffectList } from "./effect-list.ts";

/** What a part does, by its role. Roles that are not here have no effect of their own. */
const EFFECTS: Partial<
  Record<Role, (part: Part, described: DescribedCommand, found: EffectList) => void>
> = {
  reads: (part, _, found) => found.file("read", part),
  list: (part, _, found) => found.file("read", part),
  writes: (part, _, found) => found.file("write", part),
  makes: (part, _, found) => found.file("write", part),
  into: (part, _, found) => found.file("write", part),
  below: (part, _, found) => found.file("write", part, { recursive: true }),
  edits: (part, _, found) => {
    found.file("read", part);
    found.file("write", part);
  },
  removes: (part, described, found) =>
    found.file("remove", part, { ...recursion(described), unfollowed: true }),
  moves: (part, _, found) => found.file("remove", part, { recursive: true, unfollowed: true }),
  attributes: (part, described, found) => found.file("attributes", part, recursion(described)),
  script: (part, _, found) => {
    found.file("read", part);
    found.file("run", part);
  },
  program: (part, _, found) => found.add("run", part),
  host: (part, _, found) => found.connect(part),
  url: (part, _, found) => found.connect(part),
  sends: (part, _, found) => found.file("read", part),
  signal: (part, _, found) => found.add("signal", part),
  package: (part, _, found) => found.add("install", part),
  system: (part, _, found) => found.add("system", part),
};

function recursion({ args }: DescribedCommand): { readonly recursive?: true } {
  return args.meanings.has("recursive") ? { recursive: true } : {};
}

/** List what a part of a command does. */
export function addByRole(part: Part, described: DescribedCommand, found: EffectList): void {
  EFFECTS[part.role]?.(part, described, found);
}
