/** Series of one metric at most: labels come from configurations, which may name hooks without end. */
const MAX_SERIES = 1000;
const OTHER = "other";

/** One number for each combination of labels, which only grows or is set. */
export class Metric {
  readonly #name: string;
  readonly #head: string;
  readonly #labels: readonly string[];
  readonly #series = new Map<string, { readonly labels: readonly string[]; value: number }>();

  constructor(
    type: "counter" | "gauge",
    name: string,
    description: string,
    labels: readonly string[] = [],
  ) {
    this.#name = name;
    this.#head = headOf(type, name, description);
    this.#labels = labels;
  }

  /** @param labels as many as the metric has, in its order */
  add(labels: readonly string[] = [], by = 1): void {
    this.#at(labels).value += by;
  }

  set(value: number, labels: readonly string[] = []): void {
    this.#at(labels).value = value;
  }

  lines(): string[] {
    if (this.#labels.length === 0) this.#at([]);
    const rows = [...this.#series.values()].map(
      ({ labels, value }) => `${this.#name}${labelText(this.#labels, labels)} ${value}`,
    );
    return [this.#head, ...rows];
  }

  #at(labels: readonly string[]) {
    const key = keyOf(labels);
    const found = this.#series.get(key);
    if (found) return found;
    if (this.#series.size < MAX_SERIES) return this.#begun(key, labels);
    const others = labels.map(() => OTHER);
    return this.#series.get(keyOf(others)) ?? this.#begun(keyOf(others), others);
  }

  #begun(key: string, labels: readonly string[]) {
    const begun = { labels, value: 0 };
    this.#series.set(key, begun);
    return begun;
  }
}

/** How many observations were at most as large as each bound. */
export class Histogram {
  readonly #name: string;
  readonly #head: string;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** @param bounds ascending */
  constructor(name: string, description: string, bounds: readonly number[]) {
    this.#name = name;
    this.#head = headOf("histogram", name, description);
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count++;
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  lines(): string[] {
    let below = 0;
    const buckets = this.#bounds.map((bound, i) => {
      below += this.#counts[i] ?? 0;
      return `${this.#name}_bucket{le="${bound}"} ${below}`;
    });
    return [
      this.#head,
      ...buckets,
      `${this.#name}_bucket{le="+Inf"} ${this.#count}`,
      `${this.#name}_sum ${this.#sum}`,
      `${this.#name}_count ${this.#count}`,
    ];
  }
}

function headOf(type: string, name: string, description: string): string {
  return `# HELP ${name} ${description}\n# TYPE ${name} ${type}`;
}

function keyOf(labels: readonly string[]): string {
  // With its length no label can be taken for the end of another one.
  return labels.map((label) => `${label.length}:${label}`).join("");
}

function labelText(names: readonly string[], values: readonly string[]): string {
  const pairs = names.map((name, i) => `${name}="${escaped(values[i] ?? "")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
