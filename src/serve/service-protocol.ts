import type { HostName } from "../core/hosts.ts";
import type { JsonObject } from "../core/json.ts";
import type { HostAnswer } from "../protocols/host-protocol.ts";

/** Version of what goes over the socket; another one is not answered. */
export const PROTOCOL_VERSION = 1;

/** An entry of a host's settings, as far as it decides which hooks are asked. */
export interface Entry {
  /** The working directory, absolute; of bin/orcs-hook as the shell names it. */
  readonly cwd: string;
  /** The variables that say where things are; one that is not set is missing or empty. */
  readonly env: Readonly<Record<string, string>>;
  /** The words after `hook`. */
  readonly args: readonly string[];
}

/** What every line says that a service is sent. */
interface Request {
  readonly v: number;
  /** Which configuration is meant, as `serviceKey` says it. */
  readonly key: string;
  /**
   * Comes back with the answer. Answers with an id come when they are ready; those without come in the order of
   * their requests.
   */
  readonly id?: string | number | undefined;
}

/** One line of JSON that a service is sent: an event of a host. */
export interface HostRequest extends Request {
  readonly host: HostName;
  /** The event as the host sent it: the text, or what it says. */
  readonly event: string | JsonObject;
  /** Milliseconds within which the host wants its answer. */
  readonly within_ms?: number | undefined;
  /** Whether its entry denies calls of tools in folders whose configuration was never trusted. */
  readonly strict?: boolean | undefined;
}

/**
 * The same of an entry that was not started, because its host speaks HTTP: the service looks whether it would be the one
 * that `orcs hook` asks.
 */
export interface EntryLine extends Request {
  readonly entry: Entry;
  /** The event as the host sent it. */
  readonly event: string;
  /** Milliseconds within which the host wants its answer. */
  readonly within_ms: number;
}

/** The other one: run the hooks of a point. The answer is the outcome as `orcs eval --json` prints it. */
export interface DispatchRequest extends Request {
  readonly point: string;
  readonly payload: JsonObject;
  /** `namespace::name`; default `host::main`. */
  readonly component?: string | undefined;
  readonly child?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/**
 * One line of JSON that it answers to an event: an answer for the host, or why it gives none; then no hook has
 * run. An error without an id may also come unasked, as the last line before the service ends.
 */
export type ServiceAnswer = HostAnswer | { readonly error: string };
