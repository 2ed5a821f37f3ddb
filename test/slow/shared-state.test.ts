import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Orcs } from "../../src/index.ts";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import { isWholeRun } from "../slow-test.ts";
import { freePort, hasRedis, killRedis, QUIET, startRedis } from "./redis-rig.ts";

/** A hook that admits up to `max` calls. */
const budget = (mode: string, max: number): string => `
[state]
url = "redis://127.0.0.1:PORT"
[[hooks]]
id = "counted"
point = "tool.pre_execute"
on_store_error = "${mode}"
handler_inline = '''
if not orcs.state.incr("calls", 1, 3600000, ${max}) then return orcs.deny("over") end
'''
`;

/** What eight processes count with. */
const EIGHT = `
[lua]
max_run_ms = 5000
max_chain_ms = 20000
[state]
url = "redis://127.0.0.1:PORT"
[[hooks]]
id = "all"
point = "tool.pre_execute"
on_store_error = "closed"
handler_inline = 'orcs.state.incr("all") return nil'
[[hooks]]
id = "few"
point = "tool.post_execute"
on_store_error = "closed"
handler_inline = 'ctx.metadata.admitted = orcs.state.incr("few", 1, nil, 100) ~= nil'
`;
const COUNTER = fileURLToPath(new URL("counter.mjs", import.meta.url));

describe.skipIf(!hasRedis())("the shared state", { timeout: 120_000 }, () => {
  let dir: string;
  let port: number;
  let server: ChildProcess;

  const start = async (): Promise<void> => {
    const kept = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];
    server = await startRedis(["--port", String(port), "--dir", dir, ...kept]);
  };
  const kill = () => killRedis(server);
  let users = 0;
  /** An engine of one user of this machine; [state] counts in the user's own configuration only. */
  const engine = async (mode: string, max: number, at = port, stateDir?: string, more = "") => {
    const home = join(dir, `user-${users++}`);
    mkdirSync(join(home, "orcs"), { recursive: true });
    const file = join(home, "orcs", "orcs.toml");
    writeFileSync(file, budget(mode, max).replace("PORT", String(at)) + more);
    vi.stubEnv("XDG_CONFIG_HOME", home);
    try {
      return await createOrcs({ config: file, logger: QUIET, stateDir });
    } finally {
      vi.unstubAllEnvs();
    }
  };
  const engines = async <T extends Parameters<typeof engine>[]>(...of: T) => {
    const made: Orcs[] = [];
    for (const each of of) made.push(await engine(...each));
    return made as { [K in keyof T]: Orcs };
  };
  const call = async (orcs: Orcs): Promise<{ action: string; reason?: string }> =>
    orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });

  /**
   * Makes calls until so many are decided by the count, and not by the time that a busy machine took to ask for it.
   * @returns how many were admitted
   */
  const decided = async (orcs: Orcs, calls: number) => {
    let admitted = 0;
    const until = performance.now() + 60_000;
    for (let i = 0; i < calls;) {
      const { action, reason } = await call(orcs);
      if (action === "continue" || reason === "over") {
        if (action === "continue") admitted++;
        i++;
        continue;
      }
      if (performance.now() > until) throw new Error(`the store was never reached: ${reason}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return admitted;
  };
  const valueOf = (orcs: Orcs) =>
    // Asked within 45 ms, too: on a busy machine that may fail once.
    Promise.resolve(orcs.stateValue("calls")).catch(() => "not reached");

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "orcs-shared-"));
    port = await freePort();
    await start();
  });
  afterAll(async () => {
    await kill();
    rmSync(dir, { recursive: true, force: true });
  });

  test("engines count together: a budget of 100 admits exactly 100", async () => {
    const four = await engines(["closed", 100], ["closed", 100], ["closed", 100], ["closed", 100]);
    const counted = await Promise.all(four.map((orcs) => decided(orcs, 50)));
    expect(counted.reduce((sum, each) => sum + each, 0)).toBe(100);
    await Promise.all(four.map((orcs) => orcs.close()));
  });

  // 100,000 by `npm run soak:state`.
  test.runIf(isWholeRun)(
    "eight processes count exactly, and a budget of 100 admits 100",
    { timeout: 3_600_000 },
    async () => {
      const each = Number(process.env["COUNTS"] ?? 250);
      const home = join(dir, "eight");
      mkdirSync(join(home, "orcs"), { recursive: true });
      const file = join(home, "orcs", "orcs.toml");
      writeFileSync(file, EIGHT.replace("PORT", String(port)));
      const env = { ...process.env, XDG_CONFIG_HOME: home };
      const counting = Array.from({ length: 8 }, async (_, i) => {
        const own = { ...env, XDG_STATE_HOME: join(home, `state-${i}`) };
        const child = spawn(process.execPath, [COUNTER, file, String(each)], { env: own });
        child.stderr.pipe(process.stderr);
        let said = "";
        child.stdout.on("data", (text: Buffer) => (said += text.toString()));
        const [code] = (await once(child, "close")) as [number];
        expect(code).toBe(0);
        return JSON.parse(said) as Record<"counted" | "admitted" | "denied", number>;
      });
      const all = await Promise.all(counting);
      const sum = (of: "counted" | "admitted" | "denied") =>
        all.reduce((before, one) => before + one[of], 0);
      // What a busy machine asked too late was denied, was asked again, and must not count.
      const [counted, admitted, denied] = [sum("counted"), sum("admitted"), sum("denied")];
      console.log(`${counted} calls were counted; ${denied} more were denied: the store took long`);
      const client = new Redis(port, "127.0.0.1");
      expect(await client.get("orcs:v:all")).toBe(String(8 * each));
      expect(await client.get("orcs:v:few")).toBe("100");
      expect([counted, admitted]).toEqual([8 * each, 100]);
      client.disconnect();
    },
  );

  test("engines that compare and set lose no change of another one", async () => {
    const hook = `
[[hooks]]
id = "swap"
point = "tool.on_failure"
handler_inline = '''
for _ = 1, 100 do
  local list = orcs.state.get("list") or orcs.array()
  local longer = orcs.json_decode(orcs.json_encode(list))
  longer[#longer + 1] = ctx.payload.error
  if orcs.state.compare_and_set("list", #list > 0 and list or nil, longer) then
    ctx.metadata.added = true
    return
  end
end
'''
`;
    const four = await Promise.all(
      [1, 2, 3, 4].map(() => engine("closed", 1, port, undefined, hook)),
    );
    const added: string[] = [];
    await Promise.all(
      four.map(async (orcs, who) => {
        for (let i = 0; i < 20; i++) {
          const error = `${who}:${i}`;
          const payload = { tool_name: "exec", args: {}, error };
          const { ctx } = await orcs.dispatch("tool.on_failure", payload);
          if (ctx.metadata["added"] === true) added.push(error);
        }
      }),
    );
    expect(added.length).toBeGreaterThan(0);
    const list = (await four[0]?.stateValue("list")) as string[];
    // What was said to be stored is, once. A change whose answer was late may be, too.
    expect(list).toEqual(expect.arrayContaining(added));
    expect(new Set(list).size).toBe(list.length);
    await Promise.all(four.map((orcs) => orcs.close()));
  });

  test("a process that is busy itself does not take the server for lost", async () => {
    const [orcs] = await engines(["closed", 10_000]);
    expect(await decided(orcs, 1)).toBe(1);
    const busy = (ms: number): void => {
      for (const until = performance.now() + ms; performance.now() < until;);
    };
    for (let round = 0; round < 3; round++) {
      // Together many times as long as a decision waits for the server.
      const calls = Array.from({ length: 60 }, () => {
        const outcome = call(orcs);
        busy(5);
        return outcome;
      });
      const outcomes = await Promise.all(calls);
      expect(outcomes.filter(({ action }) => action !== "continue")).toEqual([]);
    }
    await orcs.close();
  });

  test("store gone: closed denies, open and local do not, none waits long; data and local counts are there after it", async () => {
    const [closed, open, local] = await engines(["closed", 1000], ["open", 1000], ["local", 1000]);
    for (const orcs of [closed, open, local]) expect(await decided(orcs, 1)).toBe(1);
    await kill();
    const began = performance.now();
    expect((await call(closed)).action).toBe("abort");
    expect((await call(open)).action).toBe("continue");
    expect((await call(local)).action).toBe("continue");
    // Three decisions of at most 50 ms each, on a busy machine.
    expect(performance.now() - began).toBeLessThan(1000);
    await start();
    const before = 100 + 1 + 180 + 3;
    await expect.poll(() => valueOf(local), { timeout: 30_000 }).toBe(before + 1);
    await Promise.all([closed, open, local].map((orcs) => orcs.close()));
  });

  test.each(["closed", "local"])("answers are lost: each call counts once, %s", async (mode) => {
    const between = await proxy(port);
    const [orcs, beside] = await engines([mode, 1e6, between.port], [mode, 1e6]);
    await decided(beside, 1);
    const before = Number(await expectValue(beside));
    let admitted = await decided(orcs, 3);
    between.swallows = true;
    for (let i = 0; i < 5; i++) admitted += (await call(orcs)).action === "continue" ? 1 : 0;
    if (mode === "closed") expect(admitted).toBe(3);
    else expect(admitted).toBe(8);
    between.swallows = false;
    await expect.poll(() => valueOf(beside), { timeout: 30_000 }).toBe(before + admitted);
    admitted += await decided(orcs, 2);
    await expect.poll(() => valueOf(beside), { timeout: 30_000 }).toBe(before + admitted);
    await Promise.all([orcs.close(), beside.close()]);
    between.close();
  });

  const expectValue = async (orcs: Orcs) => {
    await expect.poll(() => valueOf(orcs), { timeout: 30_000 }).not.toBe("not reached");
    return orcs.stateValue("calls");
  };

  test.each([
    ["a text", ["SET", '"text"']],
    ["Lua", ["SET", "os.exit()"]],
    ["infinite", ["SET", "inf"]],
    ["hexadecimal", ["SET", "0x10"]],
    ["an object", ["SET", '{"__proto__":{"action":"continue"}}']],
    ["too large", ["SET", "1".repeat(2 ** 20 + 1)]],
    ["a list", ["RPUSH", "1"]],
  ] as const)(
    "a value that is %s is refused, and changed by nobody",
    async (_, [command, value]) => {
      const client = new Redis(port);
      await client.del("orcs:v:calls");
      await client.call(command, "orcs:v:calls", value);
      const was = await client.dump("orcs:v:calls");
      const orcs = await engine("closed", 1e6);
      await expect
        .poll(async () => (await call(orcs)).reason, { timeout: 30_000 })
        .toMatch(/the value of "calls" in the shared state cannot be used/);
      expect(await client.dump("orcs:v:calls")).toBe(was);
      await client.del("orcs:v:calls");
      await orcs.close();
      client.disconnect();
    },
  );

  test.each([
    ["nothing", ""],
    ["OK", "+OK\r\n"],
    ["a number", ":1\r\n"],
    ["another answer", "*3\r\n$1\r\nx\r\n$5\r\nvalue\r\n$1\r\n0\r\n"],
    ["an error", "-ERR no\r\n"],
    ["nil", "$-1\r\n"],
    ["nil in a list", "*3\r\n$-1\r\n$-1\r\n$-1\r\n"],
    ["lists in lists", `${"*1\r\n".repeat(100_000)}:1\r\n`],
    ["a size that nobody has", "$99999999999\r\n"],
    ["a negative size", "*-7\r\n"],
    ["32 MB", `$${2 ** 25}\r\n${"x".repeat(2 ** 25)}\r\n`],
    ["no protocol", "HTTP/1.1 200 OK\r\n\r\n"],
  ])("a server that answers %s: closed denies, local does not", async (_, answer) => {
    const at = await listening((socket) => {
      socket.on("data", () => socket.write(answer));
    });
    const [closed, local] = await engines(["closed", 10, at], ["local", 10, at]);
    for (let i = 0; i < 5; i++) {
      expect((await call(closed)).action).toBe("abort");
      expect((await call(local)).action).toBe("continue");
    }
    await Promise.all([closed.close(), local.close()]);
  });

  test.each<[string, (socket: Socket, id: string) => void]>([
    ["a text that is no number", (socket, id) => replied(socket, id, "value", "os.exit()")],
    ["a value too large", (socket, id) => replied(socket, id, "value", "1".repeat(2 ** 21))],
    ["an unknown kind", (socket, id) => replied(socket, id, "sure", "1")],
    [
      "a number in place of text",
      (socket, id) => socket.write(`*3\r\n$${id.length}\r\n${id}\r\n:1\r\n:1\r\n`),
    ],
    ["nothing more, byte by byte", (socket, id) => void dripped(socket, id)],
    ["after 60 ms", (socket, id) => void setTimeout(() => replied(socket, id, "value", "1"), 60)],
  ])("a server that knows the id, and answers an increment with %s", async (_, answer) => {
    // It greets as a server does, so that it is used.
    const at = await listening((socket) => {
      socket.on("data", (bytes) => {
        for (const id of bytes.toString().match(/[0-9a-f-]{36}\/\d+/g) ?? []) {
          if (id.endsWith("/1")) replied(socket, id, "value", "identity");
          else answer(socket, id);
        }
      });
    });
    const [closed, open, local] = await engines(
      ["closed", 10, at],
      ["open", 10, at],
      ["local", 2, at],
    );
    const began = performance.now();
    for (let i = 0; i < 3; i++) {
      const { action, reason } = await call(closed);
      expect([action, reason]).toEqual(["abort", expect.stringMatching(/ORCS920[123]: /)]);
      expect((await call(open)).action).toBe("continue");
    }
    expect(
      [await call(local), await call(local), await call(local)].map(({ action }) => action),
    ).toEqual(["continue", "continue", "abort"]);
    // Nine decisions of at most 50 ms each, on a busy machine.
    expect(performance.now() - began).toBeLessThan(3000);
    await Promise.all([closed.close(), open.close(), local.close()]);
  });

  test("a program that calls again at once does not keep the connection from being made", async () => {
    const [orcs] = await engines(["closed", 1e6]);
    await kill();
    // The first one may find out that the server has gone.
    for (let i = 0; i < 10; i++) expect((await call(orcs)).action).toBe("abort");
    await start();
    let calls = 0;
    for (; calls < 200_000; calls++) if ((await call(orcs)).action === "continue") break;
    expect(calls).toBeLessThan(200_000);
    await orcs.close();
  });

  test("the server returns without its data: counting begins anew", async () => {
    const orcs = await engine("closed", 1e6);
    await decided(orcs, 3);
    await kill();
    rmSync(join(dir, "appendonlydir"), { recursive: true });
    await start();
    await decided(orcs, 2);
    await expect.poll(() => valueOf(orcs), { timeout: 30_000 }).toBe(2);
    await orcs.close();
  });
});

/** A server that gets what an engine asks; it ends with the test. @returns its port */
async function listening(answers: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    answers(socket);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function replied(socket: Socket, ...parts: readonly string[]): void {
  const bulk = parts.map((part) => `$${part.length}\r\n${part}\r\n`);
  socket.write(`*${parts.length}\r\n${bulk.join("")}`);
}

/** An answer that never ends. */
async function dripped(socket: Socket, id: string): Promise<void> {
  for (const char of `*3\r\n$${id.length}\r\n${id}\r\n$999\r\n${"x".repeat(900)}`) {
    if (socket.destroyed) return;
    socket.write(char);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A proxy that can keep what the server answers. */
async function proxy(to: number) {
  const sockets = new Set<Socket>();
  const port = await listening((client) => {
    const upstream = connect(to, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    client.on("data", (bytes) => upstream.write(bytes));
    upstream.on("data", (bytes) => {
      if (!it.swallows) client.write(bytes);
    });
    client.on("close", () => upstream.end());
    upstream.on("close", () => client.destroy());
  });
  const it = {
    port,
    swallows: false,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
  return it;
}
