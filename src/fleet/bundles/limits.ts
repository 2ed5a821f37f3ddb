/**
 * Limits of a bundle. They are checked before anything is decompressed or stored, so that a bundle of a hostile server
 * costs a bounded amount of memory and time.
 */
export const BUNDLE_LIMITS = {
  /** Size of the whole file, in bytes. */
  file: 4 * 2 ** 20,
  /** Size of the header, in bytes. */
  header: 2 ** 19,
  /** Size of the line of signatures, in bytes. */
  signatures: 8192,
  /** Number of signatures. */
  signers: 16,
  /** Number of files. */
  files: 1000,
  /** Size of one file, in bytes; that of a discovered `orcs.toml`, too. */
  oneFile: 2 ** 20,
  /** Size of all files together, in bytes. */
  expanded: 8 * 2 ** 20,
  /** Length of the name of a file, in bytes. */
  name: 200,
} as const;
