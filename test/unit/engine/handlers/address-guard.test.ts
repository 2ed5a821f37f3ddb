import type { LookupFunction } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import { AddressGuard, RefusedAddress } from "../../../../src/engine/handlers/address-guard.ts";
import type { ResolvedAddress } from "../../../../src/engine/handlers/address-guard.ts";
import { ask, failureOf, Servers, webhook } from "./webhook-rig.ts";

const servers = new Servers();
afterEach(() => servers.close());

const PUBLIC = { address: "93.184.216.34", family: 4 };
const LOOPBACK = { address: "127.0.0.1", family: 4 };
const LINK_LOCAL = { address: "169.254.169.254", family: 4 };

/** Answers one look-up after the other, and counts them. */
function resolver(...answers: readonly (readonly ResolvedAddress[])[]) {
  const asked: string[] = [];
  const resolve = async (hostname: string): Promise<readonly ResolvedAddress[]> => {
    asked.push(hostname);
    return answers[asked.length - 1] ?? [];
  };
  return { asked, resolve };
}

function look(lookup: LookupFunction, all = true): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookup("hook.test", { all }, (error, address, family) => {
      if (error) reject(error);
      else resolve(all ? address : { address, family });
    });
  });
}

describe("a webhook URL with a local or private address", () => {
  const spellings = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "017700000001",
    "2130706433",
    "①②⑦.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "127.0.0.1.",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "0.0.0.0",
    "0",
    "[::]",
    "localhost",
    "localhost.",
    "LocalHost",
    "ⓛocalhost",
    "a.localhost",
    "a.localhost.",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "100.64.0.1",
    "255.255.255.255",
  ];
  it.each(spellings)("%s is rejected", async (spelling) => {
    const server = await servers.http((response) => response.end("{}"));
    const port = server.host.split(":")[1] ?? "";
    const { asked, resolve } = resolver([PUBLIC]);
    const runner = webhook(`http://${spelling}:${port}/`, { allowHosts: [], resolve });
    const failure = await failureOf(ask(runner, { maxRetries: 3 }));
    expect(failure.kind).toBe("error");
    expect(failure.mode).toBeUndefined();
    expect(failure.message).toMatch(
      / is not allowed: .* is not public \(.*\) and not in allow_hosts$/,
    );
    expect(server.got).toEqual([]);
    expect(asked).toEqual([]);
  });

  it.each(["127.0.0.1", "127.1", "2130706433", "①②⑦.0.0.1", "127.0.0.1."])(
    "%s is accepted if allowed, in any spelling",
    async (spelling) => {
      const server = await servers.http((response) => response.end("{}"));
      const port = server.host.split(":")[1] ?? "";
      for (const entry of [spelling, `${spelling}:${port}`, "127.0.0.1", "0x7f.1"]) {
        const runner = webhook(`http://${spelling}:${port}/`, { allowHosts: ["a.test", entry] });
        expect(await ask(runner)).toEqual({ answer: {}, edits: [] });
      }
      expect(server.got).toHaveLength(4);
    },
  );
});

describe("webhook allow_hosts", () => {
  it.each([
    ["localhost", "http://localhost:8080/", true],
    ["localhost", "https://localhost./", true],
    ["LOCALHOST.", "http://localhost/", true],
    ["localhost:8080", "http://localhost:8080/", true],
    ["localhost:8080", "http://localhost:8081/", false],
    ["localhost:80", "http://localhost/", true],
    ["localhost:80", "http://localhost:8080/", false],
    ["localhost:80", "https://localhost/", false],
    ["localhost:443", "https://localhost/", true],
    ["localhost", "http://a.localhost/", false],
    ["10.0.0.5", "http://10.0.0.6/", false],
    ["[::1]", "http://[::1]:9/", true],
    ["::1", "http://[0:0:0::1]/", true],
    ["[::1]:9", "http://[::1]:9/", true],
    ["[::1]:9", "http://[::1]/", false],
    ["127.0.0.1", "http://[::ffff:127.0.0.1]/", false],
    ["127.0.0.1", "http://localhost/", false],
  ])("%s: %s is allowed: %s", (entry, url, allowed) => {
    const guard = new AddressGuard([entry]);
    const look = (): unknown => guard.lookupFor(new URL(url));
    if (allowed) expect(look).not.toThrow();
    else expect(look).toThrow(RefusedAddress);
  });

  it.each([
    "",
    "*",
    "*.a.test",
    "http://a.test",
    "a.test/",
    "a.test:99999",
    "a.test:",
    ":80",
    "a b",
    "u@a.test",
    "[::1",
    "[x]",
    "10.0.0.0/8",
    "a#b",
    "256.0.0.1",
  ])("rejects the entry %j", (entry) => {
    expect(() => new AddressGuard([entry])).toThrow(OrcsError);
  });
});

describe("a webhook host name", () => {
  const url = new URL("http://hook.test/");

  it("is resolved for each connection, and every address is checked", async () => {
    const { asked, resolve } = resolver([PUBLIC], [LOOPBACK], [PUBLIC, LINK_LOCAL], [PUBLIC]);
    const guard = new AddressGuard([], resolve);
    expect(await look(guard.lookupFor(url))).toEqual([PUBLIC]);
    // The same look-up may be used twice: it is still no verdict of the past.
    const lookup = guard.lookupFor(url);
    await expect(look(lookup)).rejects.toThrow(
      "hook.test, that is 127.0.0.1, is not public (loopback) and not in allow_hosts",
    );
    await expect(look(lookup, false)).rejects.toThrow(RefusedAddress);
    expect(await look(lookup, false)).toEqual(PUBLIC);
    expect(asked).toEqual(["hook.test", "hook.test", "hook.test", "hook.test"]);
  });

  it.each([
    [[LOOPBACK]],
    [[PUBLIC, LOOPBACK]],
    [[{ address: "::1", family: 6 }]],
    [[{ address: "::ffff:127.0.0.1", family: 6 }]],
    [[{ address: "fe80::1%lo", family: 6 }]],
    [[{ address: "not an address", family: 4 }]],
  ])("that resolves to %j is rejected", async (addresses) => {
    const server = await servers.http((response) => response.end("{}"));
    const { asked, resolve } = resolver(addresses);
    const runner = webhook(`http://hook.test:${server.host.split(":")[1]}/`, {
      allowHosts: ["127.0.0.1", "[::1]"],
      resolve,
    });
    const failure = await failureOf(ask(runner, { maxRetries: 3 }));
    expect(failure.message).toContain("not in allow_hosts");
    expect(asked).toHaveLength(1);
    expect(server.got).toEqual([]);
  });

  it("that resolves differently at a retry is rejected then", async () => {
    const server = await servers.http((response) => response.end("{}"));
    let asked = 0;
    const resolve = async (): Promise<readonly ResolvedAddress[]> => {
      asked += 1;
      if (asked === 1) throw Object.assign(new Error("later"), { code: "EAI_AGAIN" });
      return [LOOPBACK];
    };
    const runner = webhook(`http://hook.test:${server.host.split(":")[1]}/`, { resolve });
    const failure = await failureOf(ask(runner, { maxRetries: 3 }));
    expect(failure.message).toMatch(/is not allowed: .*loopback/);
    expect(asked).toBe(2);
    expect(server.got).toEqual([]);
  });

  it("that is allowed may be local", async () => {
    const server = await servers.http((response) => response.end("{}"));
    const port = server.host.split(":")[1] ?? "";
    for (const entry of ["hook.test", `HOOK.test.:${port}`]) {
      const { asked, resolve } = resolver([LOOPBACK]);
      const runner = webhook(`http://hook.test:${port}/`, { allowHosts: [entry], resolve });
      expect(await ask(runner)).toEqual({ answer: {}, edits: [] });
      expect(asked).toEqual(["hook.test"]);
    }
    expect(server.got.map(({ headers }) => headers.host)).toEqual([
      `hook.test:${port}`,
      `hook.test:${port}`,
    ]);
  });

  it("localhost is resolved by the system", async () => {
    const server = await servers.http((response) => response.end("{}"));
    const url = `http://localhost:${server.host.split(":")[1]}/`;
    expect(await ask(webhook(url, { allowHosts: ["localhost"] }))).toEqual({
      answer: {},
      edits: [],
    });
  });

  it("whose lookup throws is a failure", async () => {
    const resolve = (): never => {
      throw new Error("broken");
    };
    const failure = await failureOf(ask(webhook("http://hook.test/", { resolve })));
    expect(failure).toMatchObject({ kind: "error", mode: "closed" });
  });
});
