interface ApiError {
  readonly error: { readonly code: string; readonly message: string };
}

/** What the server has answered instead. */
export class ApiFailure extends Error {
  readonly code: string;

  constructor({ error }: ApiError) {
    super(error.message);
    this.code = error.code;
  }
}

const TAB = "orcs_tab";
const IN_ADDRESS = "#tab=";

/** Keep the secret of this tab, which the opened link has put into its address. */
export function keepTab(): void {
  if (!location.hash.startsWith(IN_ADDRESS)) return;
  sessionStorage.setItem(TAB, location.hash.slice(IN_ADDRESS.length));
  history.replaceState(null, "", "/");
}

/** Why nothing more can be read. */
export const OVER = "this session is over: open another link of orcs ui";

/** Ask the server. Its cookie is sent by the browser, to all servers of this machine: this secret is not. */
export function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-orcs-tab", sessionStorage.getItem(TAB) ?? "");
  return fetch(`/api/${path}`, { ...init, headers });
}

/** Read from the server. @throws ApiFailure */
export function read<T>(path: string): Promise<T> {
  return answered<T>(ask(path));
}

/** Have the server do something. @throws ApiFailure */
export function send<T>(path: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  return answered<T>(ask(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function answered<T>(request: Promise<Response>): Promise<T> {
  let response: Response;
  try {
    response = await request;
  } catch {
    throw new ApiFailure({ error: { code: "gone", message: "orcs ui has ended" } });
  }
  if (response.ok) return (await response.json()) as T;
  if (response.status === 401) {
    throw new ApiFailure({ error: { code: "session", message: OVER } });
  }
  const error = (await response.json().catch(() => undefined)) as ApiError | undefined;
  const message = `the server answered ${response.status}`;
  throw new ApiFailure(error ?? { error: { code: String(response.status), message } });
}
