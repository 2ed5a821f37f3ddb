import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OrcsError } from "../core/errors.ts";
import { quoteWord } from "../core/shell-words.ts";

/** This very orcs, as a shell starts it from anywhere, with nothing on its path. */
export function selfCommand(): { readonly program: string; readonly script: string } {
  const script = quoteWord(ownScript());
  return { program: `${quoteWord(process.execPath)} ${script}`, script };
}

/**
 * What an entry asks before the program, as a shell reads it: undefined where nothing is found that it could ask a
 * socket with.
 */
export function ownLauncher(): string | undefined {
  if (process.platform === "win32" || !["perl", "curl", "nc"].some(isOnPath)) return undefined;
  return quoteWord(fileURLToPath(new URL("../../bin/orcs-hook", import.meta.url)));
}

/**
 * Entries must outlive the run that writes them.
 * @param command what is to start orcs, where that was said
 * @throws OrcsError ORCS7007 where that is in a cache of npx and the like
 */
export function expectPermanent(command: string | undefined): void {
  const path = command ?? realpathSync(ownScript());
  if (!CACHES.some((cache) => cache.test(path))) return;
  const why =
    `orcs is in a cache that can be emptied at any time (${path}), after which every tool call would be denied. ` +
    "Install it permanently and run this again: npm install --global orcs && orcs install";
  throw new OrcsError("ORCS7007", why, { path });
}

/** Where npx, pnpm dlx, yarn dlx and bunx put what they run once. */
const CACHES: readonly RegExp[] = [
  /[/\\]_npx[/\\]/,
  /[/\\]pnpm[/\\]dlx[/\\]/,
  /[/\\]dlx-[^/\\]*[/\\]/,
  /[/\\]bunx-[^/\\]*[/\\]/,
];

/** What may keep a program from being started. */
export function programNotes(program: string): string[] {
  if (program !== "orcs" || isOnPath("orcs")) return [];
  return [
    "orcs is not on the PATH here: if the agent does not find it, no hook runs; set the command with --command",
  ];
}

function ownScript(): string {
  return fileURLToPath(new URL("../../bin/orcs.cjs", import.meta.url));
}

function isOnPath(name: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => {
    try {
      const file = join(folder, name);
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}

/** The version of this orcs. */
export function ownVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
