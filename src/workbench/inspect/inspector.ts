import type { SourceState } from "./api.ts";
import { detailOf } from "./detail.ts";
import { EventStreams } from "./event-stream.ts";
import type { History } from "./history.ts";
import type { PageFile } from "./page-files.ts";
import type { ApiRoutes } from "./page-server.ts";
import { PageServer } from "./page-server.ts";
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
export class Inspector {
  readonly #server: PageServer;
  readonly #streams: EventStreams;

  constructor(options: InspectorOptions) {
    const { history, files, source, watched, sessions = new Sessions() } = options;
    this.#streams = new EventStreams(history, source, watched);
    const routes: ApiRoutes = {
      "GET /api/stream": (call) => this.#streams.open(call),
      "GET /api/dispatch/": ({ name }) => detailOf(history, name, options.directory),
      ...options.routes,
    };
    this.#server = new PageServer({ files, routes, sessions });
  }

  get port(): number {
    return this.#server.port;
  }

  /** @param port 0 for any @throws the error of `listen` */
  listen(port: number): Promise<void> {
    return this.#server.listen(port);
  }

  /** A link that opens the page once. */
  newLink(): string {
    return this.#server.newLink();
  }

  /** The state of the source has changed. */
  changed(): void {
    this.#streams.changed();
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
