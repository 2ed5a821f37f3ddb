import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { isSlowRun, quickTest as test, repeatedTest } from "../../slow-test.ts";
import {
  ownSocket,
  ownsSocket,
  releaseSocket,
} from "../../../src/daemon/service/socket-ownership.ts";
import { errorOf, folder } from "../engine/orcs/engine.ts";
import { addressIn } from "./service-rig.ts";

function server(): Server {
  const made = createServer((socket) => socket.destroy());
  onTestFinished(() => void made.close());
  return made;
}

/** Leaves a socket file that nobody listens on, as a process does that was killed. */
async function stale(path: string): Promise<void> {
  const { spawnSync } = await import("node:child_process");
  const listen = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, 9))`;
  spawnSync(process.execPath, ["-e", listen, path]);
  expect(statSync(path).isSocket()).toBe(true);
}

describe("ownSocket", () => {
  test("gives an address to one server; the next fails", async () => {
    const address = addressIn(folder());
    await ownSocket(address, server());
    expect(readFileSync(address.pid, "utf8")).toBe(`${process.pid}\n`);
    expect(ownsSocket(address)).toBe(true);
    const error = await errorOf(ownSocket(address, server()));
    expect(error.code).toBe("ORCS7003");
    expect(error.message).toContain(`process ${process.pid}`);
    // What is not needed is not left.
    expect(readdirSync(address.folder).sort()).toEqual(["s.lock", "s.pid", "s.sock"]);
  });

  repeatedTest("gives it to exactly one of many concurrent servers", async () => {
    for (let round = 0; round < (isSlowRun ? 10 : 4); round++) {
      const address = addressIn(folder());
      if (round % 2 === 1) await stale(address.socket);
      const claims = await Promise.allSettled(
        Array.from({ length: 10 }, () => ownSocket(address, server())),
      );
      const won = claims.filter(({ status }) => status === "fulfilled");
      expect(won, `round ${round}`).toHaveLength(1);
      for (const claim of claims) {
        if (claim.status === "rejected") expect(claim.reason).toHaveProperty("code", "ORCS7003");
      }
      expect(readdirSync(address.folder).filter((name) => name.endsWith(".new"))).toEqual([]);
    }
  });

  test.each([
    ["a dead one's number", "999999999\n"],
    // Numbers are used again: somebody else has it, and is alive.
    ["the number of another program", `${process.ppid}\n`],
    ["our own number, of an earlier life", `${process.pid}\n`],
    ["no number", "what\n"],
    ["nothing", ""],
  ])("takes over a stale socket at once, beside %s", async (_, text) => {
    const address = addressIn(folder());
    await stale(address.socket);
    writeFileSync(address.pid, text);
    writeFileSync(address.wellKnown, '{"port":1,"token":"old"}');
    const began = performance.now();
    await ownSocket(address, server());
    expect(performance.now() - began).toBeLessThan(1000);
    expect(ownsSocket(address)).toBe(true);
    expect(() => statSync(address.wellKnown)).toThrow("ENOENT");
  });

  test.each([["s.sock"], ["s.pid"]])("works when %s is a plain file", async (name) => {
    const address = addressIn(folder());
    writeFileSync(join(address.folder, name), "text");
    await ownSocket(address, server());
    expect(statSync(address.socket).isSocket()).toBe(true);
  });

  test("fails with ORCS5002 if the folder is missing", async () => {
    const address = addressIn(join(folder(), "none"));
    expect((await errorOf(ownSocket(address, server()))).code).toBe("ORCS5002");
  });

  test("does not take over a live socket whose pid file was removed", async () => {
    const address = addressIn(folder());
    await ownSocket(address, server());
    rmSync(address.pid);
    expect(ownsSocket(address)).toBe(false);
    expect((await errorOf(ownSocket(address, server()))).code).toBe("ORCS7003");
  });
});

describe("releaseSocket", () => {
  test("removes our files", async () => {
    const address = addressIn(folder());
    await ownSocket(address, server());
    writeFileSync(address.wellKnown, "{}");
    releaseSocket(address);
    expect(readdirSync(address.folder)).toEqual(["s.lock"]);
    releaseSocket(address);
  });

  test("keeps another server's files", async () => {
    const address = addressIn(folder());
    await ownSocket(address, server());
    writeFileSync(address.pid, "1\n");
    releaseSocket(address);
    expect(readdirSync(address.folder).sort()).toEqual(["s.lock", "s.pid", "s.sock"]);
  });
});
