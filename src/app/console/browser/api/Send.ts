import type { NotAssessed, OpportunityWindows, PerformanceTotals } from "./Contract.ts"

/** An error of the API, or a missing response. */
export interface Failure {
  /** 0 without a response. */
  readonly status: number
  readonly code: string
  readonly message: string
  readonly requestId: string | null
  /** Seconds to wait before a retry may succeed. */
  readonly retryAfter: number | null
  readonly details: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

/** Metadata of a list. */
export interface Meta extends Partial<PerformanceTotals> {
  readonly has_next?: boolean
  readonly next_cursor?: string
  readonly total?: number
  readonly not_assessed?: ReadonlyArray<NotAssessed>
  readonly windows?: OpportunityWindows | null
}

/** The data of a response, or the failure. */
export type Outcome<T> =
  | { readonly data: T; readonly failure: null; readonly meta: Meta; readonly status: number }
  | { readonly failure: Failure }

interface Request {
  readonly key: string | null
  readonly path: string
  readonly method?: string
  /** The body, sent as JSON. */
  readonly body?: object
  readonly accept?: string
  readonly signal?: AbortSignal
}

/** The API is beside the console, under any prefix of both. */
export const base = new URL("../api/v1", import.meta.url).href

/** The code of a request that the screen cancelled; nobody sees it. */
export const aborted = "aborted"

/** The failure of a request without a response. */
export const silent = (error: unknown): Failure => ({
  code: error instanceof DOMException && error.name === "AbortError" ? aborted : "no_answer",
  details: [],
  message: "Can’t reach the server. Check that it is running and that you are online.",
  requestId: null,
  retryAfter: null,
  status: 0
})

const seconds = (text: string | null) => (text !== null && /^\d+$/.test(text) ? Number(text) : null)

/** The failure in a response. A proxy in front of the server may respond in another form. */
const told = async (response: Response): Promise<Failure> => {
  const { error } = (await response.json().catch(() => ({}))) ?? {}
  return {
    code: error?.code ?? String(response.status),
    details: error?.details ?? [],
    message:
      error?.message ??
      `The response (status ${response.status}) did not come from Findable. Check the proxy in front of it.`,
    requestId: error?.request_id ?? response.headers.get("x-request-id"),
    retryAfter: seconds(response.headers.get("retry-after")),
    status: response.status
  }
}

/** Sends a request and waits for the head of its response. */
export const open = ({ accept = "application/json", body, key, method = "GET", path, signal }: Request) =>
  fetch(`${base}${path}`, {
    credentials: "omit",
    headers: {
      accept,
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  }).then(
    async (response) => (response.ok ? { failure: null, response } : { failure: await told(response) }),
    (error: unknown) => ({ failure: silent(error) })
  )

/** Reads the body of a response. */
export const outcomeOf = async <T>(response: Response): Promise<Outcome<T>> => {
  if (!response.ok) return { failure: await told(response) }
  const { status } = response
  const body = status === 204 ? {} : await response.json().catch(silent)
  return "code" in body ? { failure: body } : { data: body.data, failure: null, meta: body.meta ?? {}, status }
}

/** Sends a request and reads its response. */
export const send = async <T>(request: Request): Promise<Outcome<T>> => {
  const { failure, response } = { response: undefined, ...(await open(request)) }
  return response === undefined ? { failure: failure ?? silent(null) } : outcomeOf<T>(response)
}
