/** What happens on a connection to a handler. */
export interface LinkEvents {
  /** A message as text, complete and valid UTF-8. */
  message(text: string): void;
  /** Something arrived that is not a message. */
  stray(why: string): void;
  /** One request has failed; others may still be answered. @param isLost whether the next request should start anew */
  failed(id: string, why: string, isLost: boolean): void;
  /** The connection is over. Called once, also when it was closed from here. */
  ended(why: string): void;
}

/** A connection to a handler: a process, a socket, or a URL. */
export interface Link {
  /** Send a request, or a notification if it has no id. */
  send(line: string, id: string | undefined): void;
  /** Nobody waits for the answer to a request any more. */
  abandon?(id: string): void;
  /** Bytes that the handler has not taken yet. */
  readonly backlog: number;
  /** Whether this process has to wait for answers. */
  keepAlive(isNeeded: boolean): void;
  /**
   * End it, and the process behind it with its whole group.
   * @param graceMs time of the process to end by itself; 0 kills it
   */
  close(graceMs: number): Promise<void>;
}

/** Opens a connection. Errors are reported by `ended`. */
export type OpenLink = (events: LinkEvents) => Link;
