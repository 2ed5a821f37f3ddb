/** What a process wrote, as far as it was taken. */
export interface ProcessOutput {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** How a run ended. Nothing of its process group is left, whichever it was. */
export type ProcessResult =
  | ({ readonly kind: "exited"; readonly code: number } & ProcessOutput)
  /** Ended by a signal that was not ours. */
  | ({ readonly kind: "signalled"; readonly signal: NodeJS.Signals } & ProcessOutput)
  /** Killed because its time was up. */
  | ({ readonly kind: "timeout" } & ProcessOutput)
  /** Killed, or never begun, because the caller's signal aborted or its `ProcessSet` was closed. */
  | ({ readonly kind: "aborted" } & ProcessOutput)
  /** Killed because one stream went over the limit; the output is cut there. */
  | ({ readonly kind: "output_limit"; readonly stream: "stdout" | "stderr" } & ProcessOutput)
  /** Never ran; `code` is the system's, such as ENOENT or EACCES, when there is one. */
  | { readonly kind: "not_started"; readonly error: string; readonly code: string | undefined };
