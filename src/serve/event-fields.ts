// Loaded by the process of every hook: it must stay as light as it is.

/** What an event says of itself, whatever its host. */
export interface EventFields {
  /** The host's name of it. */
  readonly name: string | undefined;
  readonly session: string | undefined;
}

/** What the text of an event says; nothing where it cannot be read. */
export function eventFields(event: string | undefined): EventFields {
  let read: unknown;
  try {
    read = JSON.parse(event ?? "");
  } catch {
    // Whoever answers it says what is wrong with it.
  }
  const said = (read ?? {}) as Readonly<Record<string, unknown>>;
  const textIn = (key: string): string | undefined => {
    const value = said[key];
    return typeof value === "string" ? value : undefined;
  };
  return {
    name: textIn("hook_event_name"),
    session: textIn("session_id") ?? textIn("conversation_id"),
  };
}
