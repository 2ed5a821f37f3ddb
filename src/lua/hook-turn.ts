import type { Hook, HookReport, Turn } from "../core/hook.ts";

/** What running a hook needs to know of it. */
export type LuaHook = Pick<Hook, "id" | "timeoutMs"> & {
  readonly point: Pick<Hook["point"], "phase">;
};

/** A `Turn` as far as Lua needs one, so that it can also be played on a worker thread. */
export interface LuaTurn extends Pick<Turn, "ctx" | "followed" | "scope" | "spent"> {
  readonly hook: LuaHook;
  settle(report: HookReport): LuaHook | undefined;
}
