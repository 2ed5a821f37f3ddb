/** Something to be told once to whoever works with an engine. */
export interface Notice {
  /** One line, for people and models. */
  readonly text: string;
  /** The same for as long as it is the same thing that is told. */
  readonly key: string;
}
