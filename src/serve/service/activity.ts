/** Counts the requests that are served, and for how long there was none. */
export class Activity {
  #serving = 0;
  #last = performance.now();

  /** A request has come; what it returns is called when it was answered. */
  begin(): () => void {
    this.#serving++;
    return () => {
      this.#serving--;
      this.#last = performance.now();
    };
  }

  /** Milliseconds since the last request was answered; 0 while one is served. */
  get idleMs(): number {
    return this.#serving > 0 ? 0 : performance.now() - this.#last;
  }
}
