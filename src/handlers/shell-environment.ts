import { getOwn } from "../core/json.ts";

/** What a command cannot do without; everything else, secrets above all, has to be named. */
const USUAL_VARIABLES = ["PATH", "HOME", "LANG"] as const;

/**
 * The whole environment of a command.
 *
 * @param from the variables there are
 * @param told those that its protocol sets
 * @param named those that its hook asks for; they go before the protocol's
 */
export function shellEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  told: Readonly<Record<string, string>>,
  named: readonly string[],
): Record<string, string> {
  return { ...pick(from, USUAL_VARIABLES), ...told, ...pick(from, named) };
}

function pick(
  from: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const found = names.map((name) => [name, getOwn(from, name)] as const);
  return Object.fromEntries(
    found.filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
  );
}
