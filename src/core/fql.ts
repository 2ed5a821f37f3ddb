import type { Address } from "./context.ts";
import { OrcsError } from "./errors.ts";
import type { PointSet, PointSpec } from "./points.ts";

/**
 * A parsed pattern `scope::target[/child_path][#instance]`; `*` stands for any one part.
 * Source: ADR-002 §3.
 */
export interface FqlPattern {
  readonly scope: string;
  readonly target: string;
  /** Child path in segments; a last `*` matches everything below. Undefined accepts any child, or none. */
  readonly child?: readonly string[];
  /** Channel instance; undefined accepts any, or none. */
  readonly instance?: string;
}

/** Whether an address matches a pattern. */
export type FqlMatcher = (address: Address) => boolean;

/**
 * Read a pattern.
 * @throws OrcsError ORCS1011 for empty input, a missing `::`, or an empty or malformed part.
 */
export function parseFql(text: string): FqlPattern {
  if (text.trim() === "") throw fqlError(text, "it is empty");
  const split = text.indexOf("::");
  if (split < 0) throw fqlError(text, "the '::' between scope and target is missing");
  const scope = text.slice(0, split);
  let rest = text.slice(split + 2);
  let instance: string | undefined;
  const hash = rest.indexOf("#");
  if (hash >= 0) {
    instance = part(text, "instance", rest.slice(hash + 1));
    rest = rest.slice(0, hash);
  }
  const [target = "", ...child] = rest.split("/");
  return {
    scope: part(text, "scope", scope),
    target: part(text, "target", target),
    ...(child.length > 0 && { child: child.map((segment) => part(text, "child", segment)) }),
    ...(instance !== undefined && { instance }),
  };
}

/** The text of a pattern; parsing it gives the same pattern. */
export function formatFql(pattern: FqlPattern): string {
  const child = (pattern.child ?? []).map((segment) => `/${segment}`).join("");
  const instance = pattern.instance === undefined ? "" : `#${pattern.instance}`;
  return `${pattern.scope}::${pattern.target}${child}${instance}`;
}

/** What `*::*` compiles to. */
export const ANYWHERE: FqlMatcher = () => true;

/** A function that tests whether an address matches; it only compares strings, nothing is compiled per call. */
export function compileFql(pattern: FqlPattern): FqlMatcher {
  const { child, instance } = pattern;
  const component = componentMatcher(pattern.scope, pattern.target);
  if (child === undefined && instance === undefined && component === ANYONE) return ANYWHERE;
  if (child === undefined && instance === undefined) return (to) => component(to.component);
  return (to) =>
    component(to.component) &&
    (child === undefined || (to.child !== undefined && childMatches(child, to.child))) &&
    (instance === undefined ||
      (to.instance !== undefined && (instance === "*" || instance === to.instance)));
}

/**
 * Split the shorthand `"{FQL}:{point}"` at the last single `:` followed by a known point or alias, because a child path
 * may contain a colon.
 * @returns undefined when no single colon is followed by a known point.
 */
export function splitShorthand(
  text: string,
  points: PointSet,
): { fql: string; point: PointSpec } | undefined {
  for (let at = text.lastIndexOf(":"); at > 0; at = text.lastIndexOf(":", at - 1)) {
    if (text[at - 1] === ":" || text[at + 1] === ":") continue;
    const point = points.resolve(text.slice(at + 1));
    if (point) return { fql: text.slice(0, at), point };
  }
  return undefined;
}

const ANYONE = (): boolean => true;

function componentMatcher(scope: string, target: string): (component: string) => boolean {
  if (scope === "*" && target === "*") return ANYONE;
  if (scope === "*")
    return (id) => id.endsWith(`::${target}`) && id.indexOf("::") + 2 === id.length - target.length;
  if (target === "*") return (id) => id.startsWith(`${scope}::`);
  const exact = `${scope}::${target}`;
  return (id) => id === exact;
}

function childMatches(pattern: readonly string[], path: string): boolean {
  const segments = path.split("/");
  const open = pattern.at(-1) === "*";
  if (open ? segments.length < pattern.length : segments.length !== pattern.length) return false;
  return pattern.every((want, i) => want === "*" || want === segments[i]);
}

function part(text: string, what: string, value: string): string {
  if (value === "") throw fqlError(text, `its ${what} is empty`);
  if (/[\s#/]/.test(value) || value.includes("::")) {
    throw fqlError(text, `its ${what} ${JSON.stringify(value)} contains a separator or a space`);
  }
  if (value.includes("*") && value !== "*") {
    throw fqlError(
      text,
      `its ${what} ${JSON.stringify(value)} contains '*'; '*' must be the whole part`,
    );
  }
  return value;
}

/**
 * Check a component's id, `namespace::name`.
 * @throws OrcsError ORCS1010 when a part is missing or contains a separator.
 */
export function expectComponentId(text: string): void {
  const parts = text.split("::");
  if (parts.length === 2 && parts.every((each) => each !== "" && !/[/#\s]/.test(each))) return;
  const why = `invalid component id ${JSON.stringify(text)}; expected namespace::name`;
  throw new OrcsError("ORCS1010", why, { id: text });
}

function fqlError(text: string, why: string): OrcsError {
  return new OrcsError(
    "ORCS1011",
    `invalid FQL ${JSON.stringify(text)}: ${why}; expected scope::target[/child][#instance]`,
    { fql: text },
  );
}
