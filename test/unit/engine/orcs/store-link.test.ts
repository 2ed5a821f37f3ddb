import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import type { StoreClient } from "../../../../src/engine/orcs/state/shared/store-link.ts";
import { StoreLink } from "../../../../src/engine/orcs/state/shared/store-link.ts";

/** A client that listens to the first error of its socket, as ioredis does. */
class Client extends EventEmitter {
  static readonly made: Client[] = [];
  readonly stream = Object.assign(new EventEmitter(), { unref: () => undefined });
  failing: (thrown: Error) => void = () => undefined;

  constructor() {
    super();
    Client.made.push(this);
    this.stream.once("error", (thrown: Error) => {
      this.emit("error", thrown);
      this.failing(thrown);
    });
  }

  connect(): Promise<void> {
    return new Promise((_, reject) => (this.failing = reject));
  }

  disconnect(): void {
    this.emit("end");
  }
}

test("errors of a socket after its first one, and after it was given up, do not end the process", async () => {
  const [first, second] = [new Error("a certificate is wrong"), new Error("alert 50")];
  const changed = vi.fn<(why: string | undefined) => void>();
  const made = { url: "rediss://127.0.0.1:1" };
  const link = new StoreLink(
    Client as unknown as StoreClient,
    made,
    async () => undefined,
    changed,
  );
  const client = Client.made[0];
  // Both in one turn, before anything is given up.
  client?.stream.emit("error", first);
  expect(() => client?.stream.emit("error", second)).not.toThrow();
  await vi.waitFor(() => expect(changed).toHaveBeenCalledWith("a certificate is wrong"));
  expect(() => client?.stream.emit("error", second)).not.toThrow();
  await vi.waitFor(() => expect(Client.made.length).toBeGreaterThan(1));
  link.close();
  const last = Client.made.at(-1);
  expect(() => last?.stream.emit("error", first)).not.toThrow();
  expect(() => last?.stream.emit("error", second)).not.toThrow();
});
