import { SENT_VARIABLES } from "../service/entry-request.ts";
import { HOST_SETTINGS } from "../install/host-settings.ts";

/** Variables that say where the folders are in which services have their sockets, and where programs are. */
const OTHERS = ["XDG_RUNTIME_DIR", "TMPDIR", "PATH"];

/** The variables that decide which hooks a session has. */
export function decidingVariables(): string[] {
  const settings = Object.values(HOST_SETTINGS).flatMap(({ variable }) => variable ?? []);
  return [...SENT_VARIABLES, ...settings];
}

/** Those, and what else its entries are run with. */
export function sessionVariables(): string[] {
  return [...decidingVariables(), ...OTHERS];
}

/** Those that are set in this process. */
export function ownSessionVariables(): Record<string, string> {
  const own = sessionVariables().flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(own);
}
