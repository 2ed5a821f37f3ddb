/** Every answer that is no success, by its code: the status, and what stands in the body. */
export const HTTP_ERRORS = {
  bad_request: [400, "the request cannot be read"],
  unauthorized: [401, "send the bearer token of this service"],
  forbidden_host: [403, "the Host header must name this service on loopback"],
  forbidden_origin: [403, "requests of web pages are refused"],
  not_found: [404, "there is no such path"],
  method_not_allowed: [405, "the path has another method"],
  request_timeout: [408, "the request took too long to come"],
  payload_too_large: [413, "the body is larger than engine.max_payload_mb allows"],
  unsupported_media_type: [415, "the body must be application/json"],
  headers_too_large: [431, "the headers are too large"],
  internal: [500, "orcs failed; its log says how"],
  unavailable: [503, "the hooks cannot be asked"],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;

/** A request that is answered with an error. */
export class HttpError extends Error {
  readonly status: number;
  /** Of `HTTP_ERRORS`, or one of an `OrcsError`. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: HttpErrorCode,
    told: { readonly code?: string; readonly message?: string } = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    const [status, message] = HTTP_ERRORS[kind];
    super(told.message ?? message);
    this.status = status;
    this.code = told.code ?? kind;
    this.headers = headers;
  }

  /** The body of the answer. */
  get body(): string {
    return JSON.stringify({ error: { code: this.code, message: this.message } });
  }
}
