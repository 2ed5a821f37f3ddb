import { OrcsError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";

/** A policy that ships, as `orcs init` offers it. */
interface Policy {
  readonly name: string;
  readonly does: string;
  /** Options that it is of little use without, as TOML. */
  readonly options?: string;
}

/** The policies that ship. docs/policies.md says what each stops. */
export const POLICIES: readonly Policy[] = [
  { name: "shell-guard", does: "refuses commands that lose work, or run what nobody has seen" },
  { name: "secret-guard", does: "refuses to read and send keys, credentials and .env files" },
  { name: "path-guard", does: "refuses writes outside of the project, and to protected files" },
  { name: "mask-secrets", does: "masks secrets in results and prompts" },
  { name: "loop-guard", does: "stops an agent that makes the same call again and again" },
  { name: "budget", does: "bounds calls, time, tokens and money" },
  {
    name: "approve",
    does: "asks a person, once per session, before what is listed",
    options: '{ rules = [{ runs = ["git push", "npm publish"] }] }',
  },
];

/**
 * Names of policies from a list such as `shell-guard,budget`; `all` and `none` are what they say.
 * @throws OrcsError ORCS5001 for a name that none of them has
 */
export function policyNames(list: string): readonly string[] {
  const known = POLICIES.map(({ name }) => name);
  const given = list
    .split(/[\s,]+/)
    .map((name) => name.replace(/^orcs:/, ""))
    .filter((name) => name !== "" && name !== "none");
  if (given.includes("all")) return known;
  const stray = given.find((name) => !known.includes(name));
  if (stray === undefined) return [...new Set(given)];
  const meant = nearest(stray, known);
  const hint = meant === undefined ? `; there are ${known.join(", ")}` : `; did you mean ${meant}?`;
  throw new OrcsError("ORCS5001", `there is no policy ${JSON.stringify(stray)}${hint}`, {
    policy: stray,
  });
}

/** The hook of a policy in orcs.toml, as lines. */
export function policyLines(name: string): readonly string[] {
  const options = POLICIES.find((policy) => policy.name === name)?.options;
  return [
    "[[hooks]]",
    `script = "orcs:${name}"`,
    ...(options === undefined ? [] : [`options = ${options}`]),
  ];
}

/** The policies that are not in force, as comments that say what they stop. */
export function offeredLines(inForce: readonly string[]): readonly string[] {
  const offered = POLICIES.filter(({ name }) => !inForce.includes(name));
  if (offered.length === 0) return [];
  const width = Math.max(...offered.map(({ name }) => name.length));
  return [
    "",
    "# Policies that ship with orcs (orcs init --policies NAME,NAME puts them here):",
    ...offered.map(({ name, does }) => `#   orcs:${name.padEnd(width)}  ${does}`),
  ];
}
