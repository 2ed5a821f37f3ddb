/** Compares major, minor and patch of two versions; a pre-release counts as its release. */
export function isLaterVersion(wanted: string, have: string): boolean {
  const [a, b] = [partsOf(wanted), partsOf(have)];
  for (const [i, part] of a.entries()) {
    if (part !== b[i]) return part > (b[i] ?? 0);
  }
  return false;
}

function partsOf(version: string): number[] {
  return (version.split("-", 1)[0] ?? "").split(".").map(Number);
}
