/** One word as a command gets it. */
export interface Field {
  /** Its text; what is not known of it stands as it is written. */
  readonly text: string;
  readonly known: boolean;
  /** It is nothing but an expansion without quotes: it may become several words, or none. */
  readonly loose?: boolean;
  /** It holds a glob without quotes: it becomes the names that match. */
  readonly glob?: boolean;
}

/** A word whose text is known. */
export function known(text: string): Field {
  return { text, known: true };
}

/** The last part of a program's path, without the ending that Windows programs have. */
export function programName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.endsWith(".exe") ? name.slice(0, -4) : name;
}
