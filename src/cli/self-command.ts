import { INSTALL_COMMAND, OrcsError, quoteWord } from "../core/index.ts";
import { OWN_LAUNCHER, OWN_PROGRAM, programOnPath } from "../machine/index.ts";
import { realpathSync } from "node:fs";

/** The command that starts this orcs from anywhere, independent of the path. */
export function selfCommand(): { readonly program: string; readonly script: string } {
  const script = quoteWord(OWN_PROGRAM);
  return { program: `${quoteWord(process.execPath)} ${script}`, script };
}

/** The launcher for entries, quoted for a shell; undefined when there is no program that could send to a socket. */
export function ownLauncher(): string | undefined {
  if (process.platform === "win32" || !["perl", "curl", "nc"].some(isOnPath)) return undefined;
  return quoteWord(OWN_LAUNCHER);
}

/**
 * Entries must outlive the run that writes them.
 * @param command the explicit command that starts orcs, if given
 * @throws OrcsError ORCS7007 when it is in a cache of npx or a similar program
 */
export function expectPermanent(command: string | undefined): void {
  const path = command ?? realpathSync(OWN_PROGRAM);
  if (!CACHES.some((cache) => cache.test(path))) return;
  const why =
    `orcs is in a cache that can be emptied at any time (${path}), after which every tool call would be denied. ` +
    `Install it permanently and run this again: ${INSTALL_COMMAND} && orcs install`;
  throw new OrcsError("ORCS7007", why, { path });
}

/** Caches of npx, pnpm dlx, yarn dlx and bunx for packages that run once. */
const CACHES: readonly RegExp[] = [
  /[/\\]_npx[/\\]/,
  /[/\\]pnpm[/\\]dlx[/\\]/,
  /[/\\]dlx-[^/\\]*[/\\]/,
  /[/\\]bunx-[^/\\]*[/\\]/,
];

/** Possible reasons why a program cannot be started. */
export function programNotes(program: string): string[] {
  if (program !== "orcs" || isOnPath("orcs")) return [];
  return [
    "orcs is not on the PATH here: if the agent does not find it, no hook runs; set the command with --command",
  ];
}

function isOnPath(name: string): boolean {
  return programOnPath(name, process.env["PATH"]) !== undefined;
}
