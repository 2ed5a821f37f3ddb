/** Thrown through Lua when a script runs too long: an exception of the host, which no `pcall` catches. */
export class Overrun extends Error {
  override readonly name = "Overrun";
}

/** Deadlines of a state; the VM's count hook asks every few hundred instructions. */
export class LuaLimits {
  #deadline = Infinity;
  #message = "";

  /** Let the state run for `ms` from now; `message` says which limit it is. */
  arm(ms: number, message: string): void {
    this.#deadline = performance.now() + ms;
    this.#message = message;
  }

  disarm(): void {
    this.#deadline = Infinity;
  }

  /** @throws Overrun past the deadline */
  check(): void {
    if (performance.now() > this.#deadline) throw new Overrun(this.#message);
  }
}
