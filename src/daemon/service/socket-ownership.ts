import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, rmSync, statSync } from "node:fs";
import { connect, type Server } from "node:net";
import { join } from "node:path";
import { moveFile, replaceFile, withFileLock, textIfReadable } from "../../machine/index.ts";
import { messageOf, OrcsError } from "../../core/index.ts";
import type { ServiceAddress } from "../address.ts";

/** Error codes of connecting to a socket that nobody listens on. */
const NOBODY_LISTENS = ["ENOENT", "ECONNREFUSED", "ENOTSOCK"];

/**
 * Make a server listen at an address that is free. Whether it is free is decided by connecting, not by the pid file: a
 * killed process may have left it, and its number may belong to another program by now.
 * @throws OrcsError ORCS7003 when another process serves there; ORCS5002
 */
export async function ownSocket(address: ServiceAddress, server: Server): Promise<void> {
  const aside = asideOf(address);
  try {
    await listenAt(aside, server);
    for (let isOurs = false; !isOurs;) {
      const before = ownerSnapshot(address);
      if (await isServed(address.socket)) {
        const who = pidAt(address);
        const why = `process ${who ?? "that left no number"} serves this configuration already`;
        throw new OrcsError("ORCS7003", why, { pid: who });
      }
      isOurs = takeUnlessChanged(address, aside, before);
    }
  } catch (thrown) {
    rmSync(aside, { force: true });
    server.close();
    if (thrown instanceof OrcsError) throw thrown;
    const why = `cannot listen on ${address.socket}: ${messageOf(thrown)}`;
    throw new OrcsError("ORCS5002", why, { path: address.socket }, { cause: thrown });
  }
}

/**
 * Where a server listens before it is renamed to its address: nobody ever finds a half-started service.
 */
export function asideOf({ folder }: ServiceAddress): string {
  return join(folder, `${randomBytes(4).toString("hex")}.new`);
}

/** Listen on a socket that is private to the user. @throws the system's error */
export async function listenAt(socket: string, server: Server): Promise<void> {
  server.listen(socket);
  await once(server, "listening");
  chmodSync(socket, 0o600);
}

/** Whether the address still belongs to this process. */
export function ownsSocket(address: ServiceAddress): boolean {
  return pidAt(address) === process.pid;
}

/** Remove the files of this process at the address; those of another one stay. */
export function releaseSocket(address: ServiceAddress): void {
  withFileLock(address.lock, () => {
    if (!ownsSocket(address)) return;
    for (const file of [address.socket, address.entry, address.pid, address.wellKnown])
      rmSync(file, { force: true });
  });
}

/** False when another process was faster since `before` was read. */
function takeUnlessChanged(address: ServiceAddress, aside: string, before: string): boolean {
  return withFileLock(address.lock, () => {
    if (ownerSnapshot(address) !== before) return false;
    rmSync(address.wellKnown, { force: true });
    // Nobody ever reads half a number, which could be that of a process to be ended.
    replaceFile(address.pid, `${process.pid}\n`);
    moveFile(aside, address.socket);
    return true;
  });
}

/** Identifies the service at an address. */
function ownerSnapshot(address: ServiceAddress): string {
  const found = statSync(address.socket, { throwIfNoEntry: false });
  return `${pidAt(address)} ${found?.ino} ${found?.ctimeMs}`;
}

/** The pid file's number; its process may be gone. */
export function pidAt(address: ServiceAddress): number | undefined {
  const pid = Number(textIfReadable(address.pid));
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/** Whether somebody listens, including a process that is too busy to accept. */
export function isServed(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.on("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.on("error", (error: NodeJS.ErrnoException) => {
      resolve(!NOBODY_LISTENS.includes(error.code ?? ""));
    });
  });
}
