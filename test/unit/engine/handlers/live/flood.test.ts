import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { LinkEvents } from "../../../../../src/engine/handlers/live/link.ts";
import { LiveSession } from "../../../../../src/engine/handlers/live/live-session.ts";
import { readLines } from "../../../../../src/engine/handlers/live/stream-links.ts";

test("after a thousand messages that answer nothing, a flood is not read any more", () => {
  const dropped: string[] = [];
  let events: LinkEvents | undefined;
  let read = 0;
  let closed = 0;
  const session = new LiveSession(
    (given) => {
      events = given;
      return {
        send: () => undefined,
        backlog: 0,
        keepAlive: () => undefined,
        close: () => Promise.resolve(void closed++),
      };
    },
    { dropped: (why) => void dropped.push(why), lost: () => undefined },
  );
  const flood = {
    toString: () => {
      read++;
      return "x";
    },
  };
  // Only what is parsed asks for the text.
  for (let i = 0; i < 30_000; i++) events?.message(flood as unknown as string);
  expect(closed).toBe(1);
  expect(read).toBeLessThanOrEqual(2_000);
  // The first, the tenth, the hundredth, the thousandth.
  expect(dropped).toHaveLength(4);
  void session;
});

test("lines behind the end of a stream are dropped, also of the same piece", () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(
    stream,
    1000,
    {
      message: (text) => {
        lines.push(text);
        stream.destroy();
      },
      stray: () => undefined,
    },
    () => undefined,
  );
  stream.emit("data", Buffer.from("a\nb\nc\n"));
  expect(lines).toEqual(["a\n"]);
});
