import { isAbsolute } from "node:path";
import type { HostName } from "../../core/hosts.ts";

/** Where a host says which project it works in. Codex starts its hooks there and says nothing. */
const VARIABLES: Readonly<Record<HostName, string | undefined>> = {
  "claude-code": "CLAUDE_PROJECT_DIR",
  codex: undefined,
  gemini: "GEMINI_PROJECT_DIR",
  cursor: "CURSOR_PROJECT_DIR",
};

/**
 * Where to look for the configuration: an agent that changes its directory changes nobody's.
 * @throws Error when the host does not say and the working directory is gone
 */
export function projectDirectory(
  host: HostName,
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd?: string,
): string {
  const variable = VARIABLES[host];
  const said = variable === undefined ? undefined : env[variable];
  return said !== undefined && isAbsolute(said) ? said : (cwd ?? process.cwd());
}
