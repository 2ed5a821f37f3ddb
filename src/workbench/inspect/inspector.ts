import type { SourceState } from "./api.ts";
import { detailOf } from "./detail.ts";
import { EventStreams } from "./event-stream.ts";
import type { History } from "./history.ts";
import type { PageFile } from "./page-files.ts";
import { type ApiRoutes, PageServer } from "./page-server.ts";
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
