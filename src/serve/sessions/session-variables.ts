import { SENT_VARIABLES } from "../service/entry-request.ts";
import { HOST_SETTINGS } from "../install/host-settings.ts";

/** Variables that say where the folders are in which services have their sockets. */
const RUNTIME = ["XDG_RUNTIME_DIR", "TMPDIR"];

/** The variables that decide which hooks a session has, and which service answers for it. */
export function sessionVariables(): string[] {
  const settings = Object.values(HOST_SETTINGS).flatMap(({ variable }) => variable ?? []);
  return [...SENT_VARIABLES, ...settings, ...RUNTIME];
}

/** Those that are set in this process. */
export function ownSessionVariables(): Record<string, string> {
  const own = sessionVariables().flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(own);
}
