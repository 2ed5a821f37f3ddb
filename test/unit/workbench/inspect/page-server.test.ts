import type { Socket } from "node:net";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { pageRig, seen, Visitor } from "./page-rig.ts";

// Who may look: the tab that has opened the link, from its own page, and nobody else.

async function opened() {
  const rig = await pageRig();
  rig.history.add([seen("a1")]);
  await rig.visitor.open(rig.inspector.newLink());
  return rig;
}

const NOTHING = { body: "" };

test("whoever opens the link gets a cookie that scripts cannot read, and the page", async () => {
  const { inspector, visitor } = await pageRig();
  const got = await visitor.open(inspector.newLink());
  expect(got.status).toBe(200);
  expect(got.headers["set-cookie"]).toEqual([
    expect.stringMatching(/^orcs_ui_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/),
  ]);
  expect(await visitor.get("/")).toMatchObject({ status: 200, body: "the page" });
});

test("a link opens once", async () => {
  const { inspector } = await pageRig();
  const link = inspector.newLink();
  const [first, second] = [new Visitor(inspector.port), new Visitor(inspector.port)];
  expect(await first.open(link)).toMatchObject({ status: 200 });
  expect(await second.open(link)).toMatchObject({ status: 401, ...NOTHING });
  expect(second.cookie).toBeUndefined();
  expect(await second.get("/")).toMatchObject({ status: 401, ...NOTHING });
  expect(await first.get("/")).toMatchObject({ status: 200 });
});

test("an event is shown to the page", async () => {
  const { visitor } = await opened();
  const stream = await visitor.get("/api/stream");
  expect(stream.body).toContain('"verdict":"denied"');
  const detail = await visitor.get("/api/dispatch/a1");
  expect(JSON.parse(detail.body)).toMatchObject({
    subject: "git push --force",
    hooks: [{ hook: "guard", status: "ran" }],
  });
});

describe("the cookie, which the browser sends to other servers of this machine as well", () => {
  test.each(["/api/stream", "/api/dispatch/a1", "/api/sets", "/nothing"])(
    "opens no %s",
    async (path) => {
      const { inspector, visitor } = await opened();
      const other = await opened();
      const thief = new Visitor(inspector.port);
      thief.cookie = visitor.cookie;
      for (const tab of [undefined, "", other.visitor.tab, visitor.cookie?.split("=")[1]]) {
        thief.tab = tab;
        expect(await thief.get(path)).toMatchObject({ status: 401, ...NOTHING });
        expect(await thief.post(path, {})).toMatchObject({ status: 401, ...NOTHING });
      }
      expect(await visitor.get("/")).toMatchObject({ status: 200 });
      // Nor does the secret of the tab without the cookie.
      visitor.cookie = undefined;
      expect(await visitor.get(path)).toMatchObject({ status: 401, ...NOTHING });
    },
  );

  test("is that of the newest link, and an older tab goes on", async () => {
    const { inspector, visitor } = await opened();
    const before = visitor.tab;
    await visitor.open(inspector.newLink());
    expect(visitor.tab).not.toBe(before);
    visitor.tab = before;
    expect(await visitor.get("/api/dispatch/a1")).toMatchObject({ status: 200 });
  });
});

test("connections that show nothing do not keep the page away", async () => {
  const { inspector, visitor } = await opened();
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  let closed = 0;
  for (let i = 0; i < 70; i++) {
    const socket = connect(inspector.port, "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => undefined).on("close", () => closed++);
    // Half a request, with what anybody can know.
    socket.write(`GET /api/sets HTTP/1.1\r\nhost: 127.0.0.1:${inspector.port}\r\n`);
  }
  await expect.poll(() => closed, { timeout: 5000 }).toBeGreaterThanOrEqual(70 - 48);
  const began = performance.now();
  expect(await visitor.get("/")).toMatchObject({ status: 200 });
  expect(await visitor.get("/api/dispatch/a1")).toMatchObject({ status: 200 });
  expect(performance.now() - began).toBeLessThan(2000);
  await expect.poll(() => closed, { timeout: 10_000 }).toBe(70);
});

const PATHS = ["/", "/api/stream", "/api/dispatch/a1", "/nothing", "/api/"];

describe.each(PATHS)("%s", (path) => {
  test("is nothing without the cookie", async () => {
    const { inspector } = await opened();
    const stranger = new Visitor(inspector.port);
    expect(await stranger.get(path)).toMatchObject({ status: 401, ...NOTHING });
  });

  test("is nothing with the cookie of another service", async () => {
    const { inspector } = await opened();
    const other = await opened();
    const stranger = new Visitor(inspector.port);
    const secret = other.visitor.cookie?.split("=")[1];
    for (const cookie of [
      `orcs_ui_${inspector.port}=${secret}`,
      other.visitor.cookie ?? "",
      `orcs_ui_${inspector.port}=`,
      `orcs_ui_${inspector.port}`,
    ]) {
      expect(await stranger.get(path, { cookie })).toMatchObject({ status: 401, ...NOTHING });
    }
  });

  test("is nothing for a bearer token", async () => {
    const { visitor } = await opened();
    const authorization = `Bearer ${visitor.cookie?.split("=")[1]}`;
    const stranger = new Visitor(visitor.port);
    expect(await stranger.get(path, { authorization })).toMatchObject({ status: 401, ...NOTHING });
  });

  test("is nothing by another name", async () => {
    const { visitor } = await opened();
    for (const host of [
      `evil.example:${visitor.port}`,
      `localhost:${visitor.port}`,
      "127.0.0.1",
      `127.0.0.1.evil.example:${visitor.port}`,
      `127.0.0.1:${visitor.port + 1}`,
    ]) {
      expect(await visitor.get(path, { host })).toMatchObject({ status: 403, ...NOTHING });
    }
  });

  test("is nothing for another origin", async () => {
    const { visitor } = await opened();
    for (const origin of ["http://evil.example", "null", `http://localhost:${visitor.port}`]) {
      expect(await visitor.get(path, { origin })).toMatchObject({ status: 403, ...NOTHING });
    }
    for (const site of ["cross-site", "same-site"]) {
      const got = await visitor.get(path, { "sec-fetch-site": site });
      expect(got).toMatchObject({ status: 403, ...NOTHING });
    }
  });
});

test("a link is not opened by another name", async () => {
  const { inspector } = await pageRig();
  const visitor = new Visitor(inspector.port);
  const { pathname } = new URL(inspector.newLink());
  expect(await visitor.get(pathname, { host: "evil.example" })).toMatchObject({ status: 403 });
  // It was not used up.
  expect(await visitor.get(pathname)).toMatchObject({ status: 200 });
});

test("a cookie that is given twice is none", async () => {
  const { visitor } = await opened();
  const cookie = `${visitor.cookie}; ${visitor.cookie}`;
  expect(await visitor.get("/", { cookie })).toMatchObject({ status: 401 });
});

test("a POST says where it comes from, and is JSON", async () => {
  const rig = await pageRig({ routes: { "POST /api/echo": ({ body }) => body } });
  const { visitor } = rig;
  await visitor.open(rig.inspector.newLink());
  expect(await visitor.post("/api/echo", { a: 1 })).toMatchObject({ status: 200, body: '{"a":1}' });
  const type = { "content-type": "text/plain" };
  expect(await visitor.post("/api/echo", {}, type)).toMatchObject({ status: 415, ...NOTHING });
  expect(await visitor.post("/api/echo", [])).toMatchObject({ status: 400, ...NOTHING });
  const evil = { origin: "http://evil.example" };
  expect(await visitor.post("/api/echo", {}, evil)).toMatchObject({ status: 403, ...NOTHING });
  expect(await visitor.get("/api/echo")).toMatchObject({ status: 404, ...NOTHING });
});

test.each(["/", "/api/dispatch/a1", "/open/wrong", "/nothing"])(
  "%s may load nothing from elsewhere, and stand in no frame",
  async (path) => {
    const { visitor } = await opened();
    const { headers } = await visitor.get(path);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  },
);

test("paths lead to the files of the page only", async () => {
  const { visitor } = await opened();
  for (const path of ["/../package.json", "/%2e%2e/package.json", "//etc/passwd", "/index.html"]) {
    expect(await visitor.get(path)).toMatchObject({ status: 404, ...NOTHING });
  }
});
