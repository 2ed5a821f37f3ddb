import type { HookChanged, HookFailed } from "../core/audit.ts";
import type { Edit, Hook, HookFailure } from "../core/hook.ts";
import { jsonPointer } from "../core/json.ts";

/** What is worth writing down of a chain besides its outcome. Made when there is something: most chains have none. */
export class ChainNotes {
  readonly failures: HookFailed[] = [];
  readonly changed: HookChanged[] = [];
  /** The hook that kept those behind it from being asked. */
  stoppedBy: Hook | undefined;

  failed(hook: Hook, failure: HookFailure): void {
    this.failures.push({ hook, failure });
  }

  /** Of what a hook changed, the payload counts: metadata is the hooks' own. */
  edited(hook: Hook, edits: readonly Edit[]): void {
    const counted = edits.filter(({ path }) => path[0] === "payload");
    this.changed.push({ hook, paths: counted.map(({ path }) => jsonPointer(path)) });
  }
}
