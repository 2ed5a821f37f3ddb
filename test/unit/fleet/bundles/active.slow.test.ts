import { readFileSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BundleStore } from "../../../../src/fleet/bundles/bundle-store.ts";
import { BundlePoller } from "../../../../src/fleet/bundles/poller.ts";
import { installedBundles } from "../../../../src/fleet/bundles/installed-bundle.ts";
import { pullBundle, type PullDeps } from "../../../../src/fleet/bundles/pull.ts";
import { publicKeyOf } from "../../../../src/fleet/bundles/keys.ts";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { onTestFinished } from "vitest";
import { call, folder, Lines } from "../../engine/orcs/engine.ts";
import { home, PATIENT } from "../../config/trust/rig.ts";
import { files, KEYS, newKey, signed, STRANGER, TRUSTED } from "./rig.ts";
import { bundleServer, type BundleServer } from "./server.ts";

const KEY = KEYS[0]?.text ?? "";
const DAY = 86_400_000;
/** Without times: these tests run at any time. */
const TIMELESS = { not_before: null, expires: null };
const PROVEN: PullDeps = { prove: async () => undefined };

const deny = (word: string, reason: string): string => `[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = 'if ctx.payload.args.command == "${word}" then return { action = "abort", reason = "${reason}" } end'
`;

function bundle(reason = "bundle says no", stated = {}, more = ""): Buffer {
  const content = files({ "orcs.toml": deny("evil", reason) + more + PATIENT });
  return signed({ ...TIMELESS, ...stated }, content);
}

function configure(userDir: string, url: string, more = "", own = ""): void {
  mkdirSync(userDir, { recursive: true });
  writeFileSync(
    join(userDir, "orcs.toml"),
    `${own}\n[bundle]\nurl = "${url}"\nkeys = ["${KEY}"]\n${more}\n`,
  );
}

const settings = (url: string, keys = [KEY]) => ({ url, keys });

async function opened(options: CreateOrcsOptions = {}): Promise<Orcs> {
  const orcs = await createOrcs({ cwd: folder(), logger: new Lines(), ...options });
  onTestFinished(() => orcs.close());
  return orcs;
}

/** What becomes of a command: "ran", or why not. */
async function result(orcs: Orcs, command = "evil"): Promise<string> {
  const outcome = await orcs.dispatch("tool.pre_execute", call("exec", { command }));
  return outcome.action === "abort" ? String(outcome.reason) : "ran";
}

/** A home with a server, and the bundle pulled from it. */
async function pulled(bytes = bundle()): Promise<{ server: BundleServer; userDir: string }> {
  const { userDir } = home();
  const server = await bundleServer(bytes);
  configure(userDir, server.url);
  await pullBundle(settings(server.url), PROVEN);
  return { server, userDir };
}

describe("an engine with [bundle]", () => {
  test("runs the hooks of the last good bundle, without a service and without the server", async () => {
    const { server } = await pulled();
    server.bytes = undefined;
    const orcs = await opened();
    expect(await result(orcs)).toContain("bundle says no");
    expect(await result(orcs, "ls")).toBe("ran");
  });

  test("denies everything until there is a bundle, and says what to do", async () => {
    const { userDir } = home();
    configure(userDir, "http://127.0.0.1:1/none");
    const orcs = await opened();
    expect(await result(orcs, "ls")).toMatch(/ORCS9003: no bundle was fetched .* orcs bundle pull/);
  });

  test('with on_error = "open" runs without one, and reports it', async () => {
    const { userDir } = home();
    configure(userDir, "http://127.0.0.1:1/none", 'on_error = "open"', "");
    const orcs = await opened();
    expect(await result(orcs, "ls")).toBe("ran");
    expect(orcs.notice?.text).toContain("the bundle of your configuration is not active");
  });

  test("loads a new revision at a reload, and keeps the old one until then", async () => {
    const { server } = await pulled();
    const orcs = await opened();
    server.bytes = bundle("second says no", { revision: 8 });
    await pullBundle(settings(server.url), PROVEN);
    expect(await result(orcs)).toContain("bundle says no");
    await orcs.reload();
    expect(await result(orcs)).toContain("second says no");
  });

  test("the user's own hook of the same id replaces the one of the bundle", async () => {
    const { server, userDir } = await pulled();
    configure(userDir, server.url, "", deny("evil", "user says no"));
    const orcs = await opened();
    expect(await result(orcs)).toContain("user says no");
  });

  test("a bundle in audit mode denies nothing", async () => {
    await pulled(bundle("no", { mode: "audit" }));
    const orcs = await opened();
    const ran: string[] = [];
    orcs.events.on("shadow", ({ hook }) => void ran.push(hook));
    expect(await result(orcs)).toBe("ran");
    await expect.poll(() => ran, { timeout: 30_000 }).toEqual(["guard"]);
  });

  test("a key that was removed from the configuration ends what it has signed", async () => {
    const { server, userDir } = await pulled();
    const next = publicKeyOf(newKey()).text;
    writeFileSync(
      join(userDir, "orcs.toml"),
      `[bundle]\nurl = "${server.url}"\nkeys = ["${next}"]\n`,
    );
    expect(await result(await opened(), "ls")).toContain("ORCS9002");
  });

  test("a bundle cannot name another bundle, and a project cannot name one", async () => {
    const { server } = await pulled(
      bundle("bundle says no", {}, `\n[bundle]\nkeys = ["${publicKeyOf(STRANGER).text}"]\n`),
    );
    const orcs = await opened({ overrides: { bundle: { url: "http://127.0.0.1:1/evil" } } });
    expect(orcs.settings.bundle).toMatchObject({ url: server.url, keys: [KEY] });
    expect(await result(orcs)).toContain("bundle says no");
  });

  test.each([
    ["a shell handler", '[[hooks]]\npoint = "tool.pre_execute"\nshell = "true"\n'],
    ["a place on this machine", '[paths]\naudit = "log"\n'],
    ["a configuration with errors", '[[hooks]]\npoint = "tool.pre_execute"\nscript = "gone.lua"\n'],
  ])("%s in a signed bundle makes it unusable", async (_, more) => {
    const { server, userDir } = await pulled(signed(TIMELESS, files({ "orcs.toml": more })));
    configure(userDir, server.url);
    expect(await result(await opened(), "ls")).toContain("ORCS9005");
  });
});

describe("what is on disk", () => {
  test("a changed file is refused, and fetched again", async () => {
    const { server } = await pulled();
    const store = new BundleStore();
    const bytes = readFileSync(store.file);
    writeFileSync(store.file, Buffer.concat([bytes.subarray(0, -1), Buffer.of(7)]));
    expect(await result(await opened(), "ls")).toContain("ORCS9001");
    await pullBundle(settings(server.url), PROVEN);
    expect(await result(await opened(), "ls")).toBe("ran");
  });

  test("an older bundle in its place is refused", async () => {
    const { server } = await pulled();
    const store = new BundleStore();
    const old = readFileSync(store.file);
    server.bytes = bundle("no", { revision: 8 });
    await pullBundle(settings(server.url), PROVEN);
    writeFileSync(store.file, old);
    expect(await result(await opened(), "ls")).toContain("ORCS9004");
  });

  test("changed unpacked files are written again", async () => {
    await pulled();
    const find = () => installedBundles().find(settings(readUrl()));
    const { files: unpacked } = await find();
    rmSync(join(unpacked.directory, "orcs.toml"));
    expect(await result(await opened())).toContain("bundle says no");
  });

  test.each([
    ["within max_age", 29 * DAY, undefined],
    ["after max_age", 31 * DAY, "ORCS9003: the bundle policy, revision 7, is of"],
    ["with a clock that was set back", -DAY, "correct the clock"],
  ])("%s", async (_, later, problem) => {
    await pulled();
    const found = installedBundles(new BundleStore(), () => Date.now() + later).find(
      settings(readUrl()),
    );
    if (problem === undefined) expect(await found).toMatchObject({ name: "policy", revision: 7 });
    else await expect(found).rejects.toThrow(problem);
  });

  function readUrl(): string {
    return new BundleStore().state()?.url ?? "";
  }
});

describe("a key that was lost", () => {
  const lost = newKey();
  const lostText = publicKeyOf(lost).text;
  const content = files({ "orcs.toml": deny("evil", "of the thief") + PATIENT });
  const MOST = { ...TIMELESS, revision: Number.MAX_SAFE_INTEGER };

  test.each(["policy", "other"])(
    "blocks no good revision after it was removed, whatever it has signed; called %s",
    async (name) => {
      const { userDir } = home();
      const server = await bundleServer(signed({ ...MOST, name }, content, lost));
      configure(userDir, server.url);
      const both = settings(server.url, [KEY, lostText]);
      if (name === "policy") {
        server.bytes = bundle();
        await pullBundle(both, PROVEN);
        server.bytes = signed(MOST, content, lost);
      }
      await pullBundle(both, PROVEN);
      server.bytes = bundle("good", { revision: 8 });
      await expect(pullBundle(both, PROVEN)).rejects.toThrow("ORCS9004");
      expect((await pullBundle(settings(server.url), PROVEN)).revision).toBe(8);
      expect(await result(await opened())).toContain("good");
      // The others' still count.
      server.bytes = bundle("no", { revision: 7 });
      await expect(pullBundle(settings(server.url), PROVEN)).rejects.toThrow("ORCS9004");
      await expect(pullBundle(both, PROVEN)).rejects.toThrow("ORCS9004");
    },
  );

  test("a revision by two keys counts for each", async () => {
    const { userDir } = home();
    const server = await bundleServer(signed({ ...TIMELESS, revision: 9 }, content, TRUSTED, lost));
    configure(userDir, server.url);
    await pullBundle(settings(server.url, [KEY, lostText]), PROVEN);
    server.bytes = bundle("no", { revision: 8 });
    await expect(pullBundle(settings(server.url), PROVEN)).rejects.toThrow("ORCS9004");
  });

  test("has blocked an installation of an older orcs: not any more", async () => {
    const { server } = await pulled();
    server.bytes = signed(MOST, content, lost);
    await pullBundle(settings(server.url, [KEY, lostText]), PROVEN);
    withoutNewKeys();
    server.bytes = bundle("good", { revision: 8 });
    expect((await pullBundle(settings(server.url), PROVEN)).revision).toBe(8);
  });
});

/** The state as older versions wrote it. */
function withoutNewKeys(): void {
  const path = join(new BundleStore().directory, "state.json");
  const { signed: _, fresh: __, ...rest } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify(rest));
}

describe("max_age", () => {
  const find = (url: string, at: number) =>
    installedBundles(new BundleStore(), () => at).find(settings(url));

  test.each([
    ["answers 304 for ever", undefined],
    ["sends the same for ever", (bytes: Uint8Array) => bytes],
  ])("ends a bundle whose server %s; a later one renews it", async (_, again) => {
    const began = Date.now();
    const nineAm = (day: number) => new Date(began + day * DAY).toISOString().replace(/\.\d+/, "");
    const { server } = await pulled();
    const { bytes } = server;
    const poll = (day: number) =>
      pullBundle(settings(server.url), { ...PROVEN, now: () => began + day * DAY });
    if (again) server.answer = (__, response) => response.end(again(bytes as Uint8Array));
    for (const day of [10, 20, 29]) expect((await poll(day)).is).toBe("unchanged");
    expect((await find(server.url, began + 29 * DAY)).revision).toBe(7);
    await poll(31);
    const late = find(server.url, began + 31 * DAY);
    await expect(late).rejects.toThrow(/ORCS9003: .* max_age.*higher revision.*--not-before/);
    // Signed anew: the same revision with a later time.
    server.answer = undefined;
    server.bytes = bundle("anew", { not_before: nineAm(31) });
    expect((await poll(31)).is).toBe("new");
    expect((await find(server.url, began + 60 * DAY)).revision).toBe(7);
    // What was signed before is not accepted in turn with it.
    server.bytes = bytes;
    await expect(poll(40)).rejects.toThrow("ORCS9004");
    await expect(find(server.url, began + 62 * DAY)).rejects.toThrow("ORCS9003");
  });

  test("counts from the last contact when an older orcs has written the state", async () => {
    const began = Date.now();
    const { server } = await pulled();
    withoutNewKeys();
    await pullBundle(settings(server.url), { ...PROVEN, now: () => began + 29 * DAY });
    expect((await find(server.url, began + 29.5 * DAY)).revision).toBe(7);
    await expect(find(server.url, began + 31 * DAY)).rejects.toThrow("max_age");
  });
});

test("a server that hangs is asked again at the interval; one that waits, at once", async () => {
  const { server } = await pulled();
  const polls: { at: number; prefer: unknown }[] = [];
  let waits = false;
  server.answer = (request, response) => {
    polls.push({ at: performance.now(), prefer: request.headers["prefer"] });
    if (waits) response.writeHead(304, { "preference-applied": "wait" }).end();
  };
  const results: string[] = [];
  const poller = new BundlePoller(
    { ...settings(server.url), poll: "2s" },
    PROVEN,
    ({ is }) => void results.push(is),
    { answer: 100, body: 100 },
  );
  onTestFinished(() => poller.stop());
  await expect.poll(() => polls.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  const [first, , third] = polls;
  expect((third?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(8000);
  expect(new Set(polls.map(({ prefer }) => prefer))).toEqual(new Set(["wait=1"]));
  expect(new Set(results)).toEqual(new Set(["refused"]));
  waits = true;
  await expect.poll(() => polls.at(-1)?.prefer, { timeout: 20_000 }).toBe("wait=2");
});

describe("a poll", () => {
  test("asks with the ETag, and a 304 confirms what is here", async () => {
    const { server } = await pulled();
    const later = Date.now() + 20 * DAY;
    const again = await pullBundle(settings(server.url), { ...PROVEN, now: () => later });
    expect(again.is).toBe("unchanged");
    expect(server.statuses).toEqual([200, 304]);
    expect(new BundleStore().state()).toMatchObject({ checked: later, refused: null });
  });

  test("a server that waits is noticed", async () => {
    const { server } = await pulled();
    server.answer = (_, response) =>
      response.writeHead(304, { "preference-applied": "wait=50" }).end();
    const { waits } = await pullBundle(settings(server.url), PROVEN, { waitSeconds: 50 });
    expect(waits).toBe(true);
    expect(server.requests.at(-1)?.headers["prefer"]).toBe("wait=50");
  });

  const truncated = bundle("no", { revision: 8 });

  test.each<[string, NonNullable<BundleServer["answer"]>, string]>([
    ["answers 500", (_, response) => response.writeHead(500).end("broken"), "answered 500"],
    [
      "redirects",
      (_, response) => response.writeHead(302, { location: "/other" }).end(),
      "redirects (302)",
    ],
    ["has a page instead", (_, response) => response.end("<html>"), "ORCS9001"],
    [
      "says that it is huge",
      (_, response) => response.writeHead(200, { "content-length": 2 ** 40 }).write("x"),
      "has more than",
    ],
    [
      "never ends",
      (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536))) {
            // Until the buffer is full.
          }
        };
        response.on("drain", more);
        more();
      },
      "has more than",
    ],
    [
      "is killed in the middle",
      (_, response) => {
        response.writeHead(200, { "content-length": truncated.length });
        response.write(truncated.subarray(0, 100), () => response.destroy());
      },
      "ORCS9006",
    ],
    ["sends half of it", (_, response) => response.end(truncated.subarray(0, -100)), "ORCS9001"],
    ["has an older one", (_, response) => response.end(bundle("no", { revision: 6 })), "ORCS9004"],
    [
      "has one by another key",
      (_, response) => response.end(signed(TIMELESS, files({ "orcs.toml": "" }), STRANGER)),
      "ORCS9002",
    ],
    [
      "has one that expired",
      (_, response) => response.end(bundle("no", { expires: "2020-01-01T00:00:00Z" })),
      "ORCS9003",
    ],
  ])("of a server that %s changes nothing, and is noted", async (_, answer, why) => {
    const { server } = await pulled();
    const before = readFileSync(new BundleStore().file);
    server.answer = answer;
    await expect(pullBundle(settings(server.url), PROVEN)).rejects.toThrow(why);
    const store = new BundleStore();
    expect(readFileSync(store.file)).toEqual(before);
    expect(store.state()).toMatchObject({
      revision: 7,
      refused: { message: expect.stringContaining(why) },
    });
    expect(await result(await opened())).toContain("bundle says no");
  });

  test("of a server that never answers ends in time", async () => {
    const { server } = await pulled();
    server.answer = () => undefined;
    const times = { answer: 200, body: 200 };
    await expect(pullBundle(settings(server.url), PROVEN, { times })).rejects.toThrow(
      "took longer than 200 ms",
    );
    server.answer = (_, response) => void response.write("orcs-bundle 1\n");
    await expect(pullBundle(settings(server.url), PROVEN, { times })).rejects.toThrow(
      "took longer than 200 ms",
    );
  });

  test("of a bundle whose tests fail does not activate it, and does not test it again", async () => {
    const { server } = await pulled();
    server.bytes = bundle("no", { revision: 8 });
    let runs = 0;
    const failing = { prove: async () => (runs++, "1 of its checks and tests fail") };
    await expect(pullBundle(settings(server.url), failing)).rejects.toThrow("ORCS9005");
    await expect(pullBundle(settings(server.url), failing)).rejects.toThrow("ORCS9005");
    expect(runs).toBe(1);
    expect(await result(await opened())).toContain("bundle says no");
  });

  test("two at once agree on the later revision", async () => {
    const { server } = await pulled();
    const [eight, nine] = [bundle("eight", { revision: 8 }), bundle("nine", { revision: 9 })];
    // The slow one has fetched the older one before the other fetches and activates the later one.
    let faster: Promise<unknown> | undefined;
    server.bytes = eight;
    const slow = pullBundle(settings(server.url), {
      prove: async () => {
        server.bytes = nine;
        await (faster = pullBundle(settings(server.url), PROVEN));
        return undefined;
      },
    });
    await expect(slow).rejects.toThrow(/^ORCS9004: .*revision 8, is older than revision 9/);
    await faster;
    expect(await result(await opened())).toContain("nine");
  });

  test("a file path is a url, too", async () => {
    const { userDir } = home();
    const path = join(folder({ "policy.orcsbundle": bundle() }), "policy.orcsbundle");
    configure(userDir, path);
    expect((await pullBundle(settings(path), PROVEN)).is).toBe("new");
    expect((await pullBundle(settings(path), PROVEN)).is).toBe("unchanged");
    expect(await result(await opened())).toContain("bundle says no");
  });
});
