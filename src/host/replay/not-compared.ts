/** Why an event is not compared, and what that means, in few words. */
export const NOT_COMPARED = {
  not_json: "hold what JSON has no word for",
  refused: "are none of this engine's",
  calls: "call what was not recorded",
  outside: "were decided by handlers that are not run (--outside)",
  masked: "may differ because secrets are masked in the record",
  late: "ran out of time",
} as const;

export type NotCompared = keyof typeof NOT_COMPARED;
