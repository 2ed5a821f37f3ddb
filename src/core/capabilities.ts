/** Capability bits: what a component, and the tools it calls, may do (design.md §7). */
export const CAPABILITIES = {
  READ: 1,
  WRITE: 2,
  DELETE: 4,
  EXECUTE: 8,
  SPAWN: 16,
  LLM: 32,
  HTTP: 64,
} as const;

export type CapabilityName = keyof typeof CAPABILITIES;

/** Every capability. */
export const ALL_CAPABILITIES = Object.values(CAPABILITIES).reduce((all, bit) => all | bit, 0);

/** The bits of a list of names. */
export function capabilityBits(names: readonly CapabilityName[]): number {
  return names.reduce((bits, name) => bits | CAPABILITIES[name], 0);
}

/** The names of the bits that are set, in the order of the table. */
export function capabilityNames(bits: number): CapabilityName[] {
  return Object.entries(CAPABILITIES)
    .filter(([, bit]) => (bits & bit) !== 0)
    .map(([name]) => name as CapabilityName);
}
