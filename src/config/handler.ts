import type { SourcePlace } from "../core/diagnostic.ts";
import type { ProtocolName } from "../core/handler.ts";

/** A handler that is a Lua script or part of one. */
export type LuaHandler =
  | {
      readonly kind: "script";
      /** As written. */
      readonly script: string;
      /** Absolute path of a file that can be read. */
      readonly file: string;
    }
  | {
      readonly kind: "inline";
      readonly code: string;
      /** Of the first line of code: line 1 of the Lua chunk is this line of the file. */
      readonly place: SourcePlace;
    };

/** A command for `sh -c`. */
export interface ShellHandler {
  readonly kind: "shell";
  /** A program written relative to the configuration is an absolute path here. */
  readonly command: string;
  /** That path, where there is one. */
  readonly program: string | undefined;
  readonly passContext: boolean;
  /** Whether its output is an answer. */
  readonly parseResult: boolean;
  readonly protocol: ProtocolName;
  /** Variables that it inherits besides `PATH`, `HOME` and `LANG`. */
  readonly env: readonly string[];
}

export interface WebhookHandler {
  readonly kind: "webhook";
  readonly url: string;
  readonly method: "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  /** Variables that `${NAME}` in the URL and the headers may stand for. */
  readonly allowEnv: readonly string[];
  /** Hosts that may have private addresses. */
  readonly allowHosts: readonly string[];
  /** Whether secrets in what is sent are masked. */
  readonly redact: boolean;
  readonly protocol: ProtocolName;
}

/** A function that a JavaScript module exports. */
export interface ModuleHandler {
  readonly kind: "module";
  /** Absolute path. */
  readonly file: string;
  readonly exportName: string;
}

/** What a hook runs. */
export type Handler = LuaHandler | ShellHandler | WebhookHandler | ModuleHandler;

/** Whether a handler lives in a Lua state. */
export function isLua(handler: Handler): handler is LuaHandler {
  return handler.kind === "script" || handler.kind === "inline";
}
