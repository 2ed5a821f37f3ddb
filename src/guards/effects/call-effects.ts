import type { CallEffects, Effect, ShellReader } from "../../core/index.ts";

type Payload = Readonly<Record<string, unknown>>;

/** What a call of any tool does: of its command lines, and of its other arguments. */
export function effectsOfCall(payload: Payload, shell: ShellReader, root: string): CallEffects {
  const { args } = payload;
  const cwd = typeof payload["cwd"] === "string" ? payload["cwd"] : root;
  const effects: Effect[] = [];
  let unread: string | undefined;
  const line = typeof args === "object" && args !== null ? (args as Payload)["command"] : undefined;
  if (typeof line === "string") {
    const reading = shell.read(line, cwd, { files: true });
    unread = reading.unread;
    for (const command of reading.commands) effects.push(...(command.effects ?? []));
  }
  return { effects, ...(unread !== undefined && { unread }) };
}
