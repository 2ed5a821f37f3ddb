import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { expectPrivateFolder, fileText, runtimeFolder, upwards } from "../../machine/index.ts";
import { isPlainObject, messageOf, OrcsError } from "../../core/index.ts";
import { namesIn, ownVariables } from "../service-protocol.ts";
import type { WellKnown, WireRequest } from "../wire/operations.ts";

/** Where to look for a service. */
export interface ServicePlace {
  /** The folder of the agent's project or one in it; default: the working directory. */
  readonly directory?: string | undefined;
  /** The well-known file of a service, in place of looking for one. */
  readonly service?: string | undefined;
}

/** A service, and its well-known file. */
export type FoundService = WellKnown & { readonly file: string };

/** Returns the fields of a request with the variables of this process that hooks may read. */
export type CallerFields = () => Pick<WireRequest<"dispatch">, "env" | "umask">;

/**
 * The fields for a service; none for one that does not know them.
 * @param found the service writes its file again when hooks may read others
 */
export function callerFields({ file, env }: FoundService): CallerFields {
  let names = env;
  let seen = mtimeOf(file);
  return () => {
    const now = mtimeOf(file);
    if (now !== seen) [seen, names] = [now, [...namesIn(file)]];
    return names ? { env: ownVariables(names), umask: process.umask() } : {};
  };
}

function mtimeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * The service for a folder: that of the nearest project above it; without a project, that of the user's own
 * configuration. A project without a service has none: its hooks must not be skipped.
 * @throws OrcsError ORCS7006 when files of others are in the way, ORCS7019 when there is no service
 */
export function findService({ directory = process.cwd(), service }: ServicePlace): FoundService {
  if (service !== undefined) return readWellKnown(service);
  const folder = runtimeFolder();
  const known = wellKnownFiles(folder).flatMap(usable);
  // The newest first: another one may have left its file behind.
  known.sort((a, b) => b.started - a.started);
  for (const at of upwards(realpathSync(directory))) {
    const found = known.find((each) => each.scope === "project" && each.directory === at);
    if (found) return found;
    if (statSync(join(at, "orcs.toml"), { throwIfNoEntry: false })) throw noService(at);
  }
  const own = known.find(({ scope }) => scope === "user");
  if (own) return own;
  throw noService(directory);
}

function noService(directory: string): OrcsError {
  const why = `no service is running for ${directory}; start orcs serve there`;
  return new OrcsError("ORCS7019", why);
}

/** None of a service that has just ended, or of another release. */
function usable(file: string): FoundService[] {
  try {
    return [readWellKnown(file)];
  } catch {
    return [];
  }
}

function wellKnownFiles(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })) return [];
  expectPrivateFolder(folder);
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
  return names.map((name) => join(folder, name));
}

/** @throws OrcsError ORCS7006, ORCS7019 */
function readWellKnown(file: string): FoundService {
  expectOwn(file);
  try {
    const read: unknown = JSON.parse(fileText(file));
    if (isPlainObject(read) && typeof read["socket"] === "string") {
      return { ...(read as unknown as WellKnown), file };
    }
    throw new Error("it names no socket");
  } catch (thrown) {
    throw new OrcsError("ORCS7019", `${file} cannot be used: ${messageOf(thrown)}`);
  }
}

/**
 * Whoever owns the file or the socket could answer in place of the hooks.
 * @throws OrcsError ORCS7006, ORCS7019
 */
export function expectOwn(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) throw new OrcsError("ORCS7019", `there is no ${path}`);
  const isOwn = found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o077) === 0;
  if (isOwn && !found.isSymbolicLink()) return;
  const why = `${path} must belong to you, and nobody else may have access to it`;
  throw new OrcsError("ORCS7006", why, { path });
}
