import type { Row, SourceState, StreamMessage } from "./api.ts";
import { detailOf } from "./detail.ts";
import type { History } from "./history.ts";
import type { PageFile } from "./page-files.ts";
import { type ApiCall, type ApiRoutes, beginStream, PageServer } from "./page-server.ts";
import { Sessions } from "./sessions.ts";

export interface InspectorOptions {
  /** Relative paths of sources start here. */
  readonly directory: string;
  readonly history: History;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly source: () => SourceState;
  /** Called when the first page opens its stream, and when the last one has closed it. */
  readonly watched?: (isWatched: boolean) => void;
  /** Routes besides those of the list. */
  readonly routes?: ApiRoutes;
  readonly sessions?: Sessions;
}

/** The page of `orcs ui` and its server. */
export class Inspector extends PageServer {
  readonly #streams: EventStreams;

  constructor(options: InspectorOptions) {
    const { history, files, source, watched, sessions = new Sessions() } = options;
    const streams = new EventStreams(history, source, watched);
    const routes: ApiRoutes = {
      "GET /api/stream": (call) => streams.open(call),
      "GET /api/dispatch/": ({ name }) => detailOf(history, name, options.directory),
      ...options.routes,
    };
    super({ files, routes, sessions });
    this.#streams = streams;
  }

  /** The state of the source has changed. */
  changed(): void {
    this.#streams.changed();
  }
}

/** In milliseconds. */
const GATHER_MS = 25;
const BEAT_MS = 10_000;
/** A message is small enough to be drawn at once. */
const MOST_ROWS = 1000;
/** A page that reads slower than this gets no more until it has caught up. */
const MOST_UNREAD = 2 ** 20;

/** The events of a page: rows as they come, each stream at its own pace. */
class EventStreams {
  readonly #history: History;
  readonly #source: () => SourceState;
  readonly #streams = new Set<Stream>();
  readonly #watched: (isWatched: boolean) => void;
  #gathering: NodeJS.Timeout | undefined;

  /** @param watched called when the first stream opens, and when the last one has closed */
  constructor(
    history: History,
    source: () => SourceState,
    watched: (isWatched: boolean) => void = () => undefined,
  ) {
    this.#history = history;
    this.#source = source;
    this.#watched = watched;
    history.onAdded((updated) => {
      for (const stream of this.#streams) stream.update(updated);
      this.changed();
    });
  }

  /** There are new rows, or the state of the source has changed. */
  changed(): void {
    if (this.#streams.size === 0) return;
    if (this.#gathering !== undefined) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      for (const stream of this.#streams) stream.send();
    }, GATHER_MS);
  }

  /** Serve a stream until its reader is gone. */
  open({ response, query, keep }: ApiCall): undefined {
    const last = query.get("after") ?? "0";
    const stream = new Stream(response, this.#history, this.#source, Number(last) || 0);
    beginStream(response);
    const beat = setInterval(() => {
      keep();
      response.write(":\n\n");
    }, BEAT_MS).unref();
    this.#streams.add(stream);
    if (this.#streams.size === 1) this.#watched(true);
    response.on("close", () => {
      clearInterval(beat);
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#watched(false);
    });
    stream.send();
  }
}

class Stream {
  readonly #response: ApiCall["response"];
  readonly #history: History;
  readonly #source: () => SourceState;
  #last: number;
  #lost = 0;
  #said = "";
  /** Rows that the page has, and that have changed. */
  readonly #updated = new Map<number, Row>();

  /** @param last number of the last row that the page has */
  constructor(
    response: ApiCall["response"],
    history: History,
    source: () => SourceState,
    last: number,
  ) {
    this.#response = response;
    this.#history = history;
    this.#source = source;
    // Numbers of a previous server count from its own beginning.
    this.#last = last > history.last ? 0 : last;
    this.#lost = history.lost;
    response.on("drain", () => this.send());
  }

  /** Rows have changed. Those that the page does not have yet come as they are. */
  update(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.seq <= this.#last) this.#updated.set(row.seq, row);
    }
    // A page that does not read misses them: rows that it has not got are more important.
    if (this.#updated.size > MOST_ROWS) this.#updated.clear();
  }

  /** Send what the page does not have, as far as it reads. */
  send(): void {
    for (;;) {
      if (this.#response.destroyed || this.#response.writableLength > MOST_UNREAD) return;
      const { rows, gone } = this.#history.after(this.#last, MOST_ROWS);
      const source = this.#source();
      const lost = gone + this.#history.lost - this.#lost;
      const said = JSON.stringify(source);
      const updated = [...this.#updated.values()];
      this.#updated.clear();
      const hasNews = rows.length > 0 || updated.length > 0 || lost > 0;
      if (!hasNews && said === this.#said) return;
      this.#lost = this.#history.lost;
      this.#said = said;
      this.#last = rows.at(-1)?.seq ?? this.#last;
      const message: StreamMessage = {
        rows,
        ...(updated.length > 0 && { updated }),
        lost,
        source,
      };
      this.#response.write(`data: ${JSON.stringify(message)}\n\n`);
    }
  }
}
