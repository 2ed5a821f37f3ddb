import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import type { ClientOptions } from "../../src/daemon/client/client.ts";
import { OrcsClient } from "../../src/daemon/client/client.ts";
import { isPlainObject } from "../../src/core/json.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { messageOf, OrcsError } from "../../src/core/errors.ts";
import type { FakeScript } from "./fake-service.ts";

/** What a case does with a client. */
export type Deed =
  | { readonly dispatch: string; readonly payload: JsonObject; readonly options?: JsonObject }
  | { readonly explain: string; readonly payload: JsonObject; readonly options?: JsonObject }
  | { readonly state: string | null }
  | {
      readonly invoke: string;
      readonly args: JsonObject;
      /** What the tool does, run by run. */
      readonly run: readonly ({ readonly result: Json } | { readonly error: string })[];
      readonly options?: JsonObject;
    };

/** A case of a `*.json` file beside this one. */
export interface WireCase {
  readonly name: string;
  /** What is wrong with the files of the service; default: nothing. */
  readonly service?: string;
  /** In place of the real service. */
  readonly fake?: FakeScript;
  readonly client?: Pick<ClientOptions, "timeoutMs" | "reconnectMs" | "unavailable">;
  readonly do: Deed;
  /** A part of the result; a `reason` is a part of the text. `sent`: the last request to the fake service. */
  readonly expect: JsonObject;
}

/** All cases, by file. */
export function wireCases(): readonly (readonly [string, readonly WireCase[]])[] {
  const folder = new URL("./", import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [
      name.replace(".json", ""),
      JSON.parse(readFileSync(new URL(name, folder), "utf8")) as WireCase[],
    ]);
}

/** What `toMatchObject` takes. */
export function expected(value: unknown, key = ""): unknown {
  if (key === "reason") return expect.stringContaining(String(value));
  if (Array.isArray(value)) return value.map((each) => expected(each));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, expected(each, name)]),
  );
}

/** Carry out a case with the TypeScript client. */
export async function withTypeScript(deed: Deed, options: ClientOptions): Promise<object> {
  const client = new OrcsClient(options);
  try {
    return await carriedOut(client, deed);
  } catch (thrown) {
    if (thrown instanceof OrcsError) return { error: thrown.code };
    throw thrown;
  } finally {
    client.close();
  }
}

async function carriedOut(client: OrcsClient, deed: Deed): Promise<object> {
  if ("dispatch" in deed) return client.dispatch(deed.dispatch, deed.payload, deed.options);
  if ("explain" in deed) return client.explain(deed.explain, deed.payload, deed.options);
  if ("state" in deed) return client.state(deed.state ?? undefined);
  const ran: JsonObject[] = [];
  const run = (args: JsonObject): Json => {
    const end = deed.run[ran.push(args) - 1];
    if (!end || "error" in end) throw new Error(end ? end.error : "it ran too often");
    return end.result;
  };
  try {
    const ended = await client.invoke(deed.invoke, deed.args, run, deed.options);
    return ended.ok ? { ran, result: ended.result } : { ran, denied: ended.denied };
  } catch (thrown) {
    if (thrown instanceof OrcsError) return { ran, error: thrown.code };
    return { ran, raised: messageOf(thrown) };
  }
}
