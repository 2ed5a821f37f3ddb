import { Random as Numbers } from "../../src/workbench/fuzz/random.ts";

/** The random numbers of `orcs test --fuzz`, and what random programs need besides. */
export class Random extends Numbers {
  chance(p: number): boolean {
    return this.next() < p;
  }

  many<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }
}
