/**
 * Stands, in a copy of a context, for what could not be copied (a Date, a function, an accessor): the
 * hook that reads it fails as it would with the original, and nobody fails who does not.
 */
export class Unreadable {
  /** As messages name it: "an instance of Date". */
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}
