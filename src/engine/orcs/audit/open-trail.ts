import { FileLock, followedPath, sha256, userStateDir } from "../../../machine/index.ts";
import { join, resolve } from "node:path";
import { AuditLog } from "../../../records/index.ts";
import type { Settings } from "../../../config/index.ts";
import type { Engine } from "../engine.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { type AuditSink, AuditTrail } from "./audit-trail.ts";

/** What an audit log needs of its engine. Its registry is created after the log; without an engine there is none. */
type TrailDeps = Pick<Engine, "settings" | "redactor" | "logger" | "clock"> &
  Partial<Pick<Engine, "registry">>;

/**
 * The audit log of an engine, if it is enabled. Nothing is opened or created before the first entry.
 * @param config digest of the active configuration
 */
export function openTrail(
  host: TrailDeps,
  auditDir: CreateOrcsOptions["auditDir"],
  config: () => string | undefined,
): AuditTrail | undefined {
  const { redactor, logger, clock } = host;
  const { audit } = host.settings;
  const dir = auditDirOf(host.settings, auditDir);
  if (dir === undefined || audit.level === "off") return undefined;
  return new AuditTrail({
    redactor,
    logger,
    clock,
    config,
    all: audit.level === "all",
    onError: audit.on_error,
    open: () => openSink(dir, audit),
    written: (entry) => host.registry?.events.emit("audited", { entry }),
  });
}

/** The directory of an audit log: from the settings, otherwise from the program's option. */
export function auditDirOf(
  { paths }: Pick<Settings, "paths">,
  auditDir: CreateOrcsOptions["auditDir"],
): string | undefined {
  return auditDir === false ? undefined : (paths.audit ?? auditDir);
}

/** Open the log in a directory. @throws Error when it cannot be opened */
function openSink(dir: string, audit: Settings["audit"]): AuditSink {
  return new AuditLog({
    dir,
    lock: (path) => new FileLock(path),
    fsync: audit.fsync,
    maxBytes: audit.max_mb * 2 ** 20,
    keepDays: audit.keep_days,
    keepBytes: audit.keep_mb * 2 ** 20,
    head: headFileOf(dir),
  });
}

/**
 * The file in the user's state folder that records how far the log in a directory had grown when it was last verified.
 */
export function headFileOf(dir: string): string {
  return join(userStateDir(), "audit-heads", `${logIdOf(dir)}.json`);
}

/** Names the log in a directory, on this machine. */
export function logIdOf(dir: string): string {
  return sha256(realDirectory(dir)).slice(0, 32);
}

/** For a removed directory, the path it would have: its head matters most when the directory is gone. */
function realDirectory(dir: string): string {
  try {
    return followedPath(dir, process.cwd(), "/");
  } catch {
    return resolve(dir);
  }
}
