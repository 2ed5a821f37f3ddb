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

/** Read from the server. @throws ApiFailure */
export function read<T>(path: string): Promise<T> {
  return answered<T>(fetch(`/api/${path}`));
}

/** Have the server do something. @throws ApiFailure */
export function send<T>(path: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  return answered<T>(
    fetch(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
  );
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
    const message = "this session is over: open another link of orcs ui";
    throw new ApiFailure({ error: { code: "session", message } });
  }
  const error = (await response.json().catch(() => undefined)) as ApiError | undefined;
  const message = `the server answered ${response.status}`;
  throw new ApiFailure(error ?? { error: { code: String(response.status), message } });
}
