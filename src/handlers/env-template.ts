import { OrcsError } from "../core/errors.ts";
import { getOwn } from "../core/json.ts";

/** What a `${NAME}` may stand for. */
export interface Variables {
  /** Names that may be used; no other is read. */
  readonly allowed: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PLACEHOLDER = /\$\{([^}]*)(\}?)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Put the values of variables where `${NAME}` stands. Once: what a value holds is not expanded again. A
 * variable that is empty counts as not set, for that is how a missing secret looks on many systems.
 *
 * @param where what the template is, for messages; its values are never told
 * @param write how a value is written at its place
 * @throws OrcsError ORCS1019 for a `${NAME}` that is not allowed, not set or not written properly
 */
export function expandTemplate(
  template: string,
  variables: Variables,
  where: string,
  write: (value: string) => string = (value) => value,
): string {
  return template.replace(PLACEHOLDER, (_, name: string, end: string) => {
    if (end === "" || !NAME.test(name)) {
      throw new OrcsError("ORCS1019", `${where}: \${ must be followed by a name and }`);
    }
    return write(valueOf(name, variables, where));
  });
}

/** A value as it stands in a URL; undefined when it is no Unicode text. */
export function percentEncoded(value: string): string | undefined {
  try {
    return encodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/** Whether a text has anything to expand. */
export function hasPlaceholder(template: string): boolean {
  return template.includes("${");
}

/** Shorter values are words that stand in any message. */
const SHORTEST_SECRET = 6;

/** The values that may stand in what is sent, as they are and as a URL or JSON has them, the longest first. */
export function secretsOf({ allowed, environment }: Variables): readonly string[] {
  const values = allowed.map((name) => getOwn(environment, name) ?? "");
  const forms = values.flatMap((value) => [
    value,
    percentEncoded(value) ?? "",
    JSON.stringify(value).slice(1, -1),
  ]);
  return [...new Set(forms)]
    .filter((text) => text.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
}

function valueOf(name: string, { allowed, environment }: Variables, where: string): string {
  if (!allowed.includes(name)) {
    throw new OrcsError("ORCS1019", `${where}: \${${name}} is not listed in allow_env`, { name });
  }
  const value = getOwn(environment, name);
  if (value !== undefined && value !== "") return value;
  throw new OrcsError("ORCS1019", `${where}: the environment variable ${name} is not set`, {
    name,
  });
}
