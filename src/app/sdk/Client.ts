/** One invalid field of a request. */
export interface FieldProblem {
  /** Path of the field: `pages.0.url`. */
  readonly path: string
  readonly message: string
}

interface Parts<Code> {
  readonly code: Code
  readonly details: ReadonlyArray<FieldProblem>
  readonly message: string
  readonly requestId: string
  readonly retryAfter: number | undefined
  readonly status: number
}

/** An error of the API; `Code` is one of the operation's codes in the contract. */
export class ApiError<Code extends string = string> extends Error {
  override readonly name = "ApiError"
  readonly code: Code
  /** The invalid fields, with a 422. */
  readonly details: ReadonlyArray<FieldProblem>
  readonly requestId: string
  /** Seconds after which the request may succeed, if the server sends them. */
  readonly retryAfter: number | undefined
  readonly status: number

  constructor({ code, details, message, requestId, retryAfter, status }: Parts<Code>) {
    super(message)
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfter = retryAfter
    this.status = status
  }
}

/** A response that is not from this API: from a proxy, or another program at the URL. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer"
  readonly status: number

  constructor(status: number) {
    super(`The response (status ${status}) is not from this API. Check the base URL and any proxy in front of it`)
    this.status = status
  }
}

interface Envelope {
  readonly error: { readonly [name: string]: unknown }
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null

const isEnvelope = (body: unknown): body is Envelope => isObject(body) && isObject(body.error)

const isProblem = (value: unknown): value is FieldProblem =>
  isObject(value) && typeof value.path === "string" && typeof value.message === "string"

/** The seconds of `Retry-After` (RFC 9110 §10.2.3). The API never sends dates, so only numbers are read. */
export const retryAfter = (headers: Headers): number | undefined => {
  const text = headers.get("retry-after") ?? ""
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** The error of a response, with or without the API's envelope as its body. */
export const errorOf = ({ headers, status }: Response, body: unknown): ApiError | UnexpectedAnswer => {
  if (!isEnvelope(body)) return new UnexpectedAnswer(status)
  const { code, details, message, request_id } = body.error
  if (typeof code !== "string" || typeof message !== "string") return new UnexpectedAnswer(status)
  return new ApiError({
    code,
    details: Array.isArray(details) ? details.filter(isProblem) : [],
    message,
    requestId: typeof request_id === "string" ? request_id : "",
    retryAfter: retryAfter(headers),
    status
  })
}

/** The part of an operation for `isApiError`: the codes of its errors, as a type only. */
interface Failing<Code extends string> {
  readonly errors?: Code
}

/**
 * Whether a thrown value is an error of the API. With an operation of the client, its `code` has the type of the operation's codes in the contract:
 * `isApiError(error, client.projects.create)`.
 */
export const isApiError = <Code extends string = string>(
  error: unknown,
  _operation?: Failing<Code>
): error is ApiError<Code> =>
  // The name is compared, because a program may have loaded this module twice, by `import` and by `require`.
  error instanceof Error && error.name === "ApiError"

/**
 * Platform adapter (`fetch`, timers): a client of the contract for programs without Effect. The client imports nothing and uses only web standards, for
 * endpoints, bundlers and edge workers, so it chains promises.
 */

/** The input of any operation. */
interface Input {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly file?: Blob | Uint8Array<ArrayBuffer>
  readonly idempotencyKey?: string
  readonly wait?: number
  readonly signal?: AbortSignal
}

/** Input of every operation, beside its input in the contract. */
export interface Common {
  /** Ends the call and its retries. */
  readonly signal?: AbortSignal
}

/** The metadata of a response. */
export interface Metadata<Status extends number = number> {
  /** 201 and 202 for something new; 200 for a read, and for an existing thing. */
  readonly status: Status
  /** Path of the created thing. */
  readonly location: string | undefined
  readonly requestId: string
}

type Arguments<I> = Record<never, never> extends I ? readonly [input?: I & Common] : readonly [input: I & Common]

/** An operation of the API. Resolves with the body of the response; rejects with an `ApiError`. */
export interface Operation<I, Answer, Code extends string> {
  (...input: Arguments<I>): Promise<Answer>
  /** Only a type, for `isApiError`: the operation's codes in the contract. */
  readonly errors?: Code
}

/** URL, key and retries. */
export interface Options {
  /** URL of the server, with its path if it has one. */
  readonly baseUrl: URL | string
  readonly key: string
  /** Another implementation of `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** The most retries of a request; default 3. */
  readonly retries?: number
  /** Seconds of the longest wait before a retry; a longer `Retry-After` fails immediately. Default 60. */
  readonly longestWait?: number
}

/** Method and path of each operation, by group and name: `{ projects: { get: "GET /api/v1/projects/{project_id}" } }`. */
export type Table = Readonly<Record<string, Readonly<Record<string, string>>>>

type Send = (url: string, init: RequestInit) => Promise<Response>

/** The platform's `fetch`, looked up at each call, because a program may have replaced it. */
// @effect-diagnostics-next-line globalFetch:off
const platforms: Send = (url, init) => globalThis.fetch(url, init)

const pause = (seconds: number, signal: AbortSignal | null | undefined): Promise<void> =>
  // @effect-diagnostics-next-line newPromise:off
  new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    // @effect-diagnostics-next-line globalTimers:off
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener("abort", aborted, { once: true })
  })

/** Repeats a request that may be sent twice: after the `Retry-After` of a 429 or 503, and without a response. */
const patient = (send: Send, { longestWait = 60, retries = 3 }: Options, isRepeatable: boolean): Send => {
  const attempt = (url: string, init: RequestInit, number: number): Promise<Response> => {
    if (number >= retries || !isRepeatable) return send(url, init)
    const again = (seconds: number): Promise<Response> =>
      init.signal?.aborted === true
        ? Promise.reject(init.signal.reason)
        : pause(seconds, init.signal).then(() => attempt(url, init, number + 1))
    return send(url, init).then(
      (response) => {
        const wait = response.status === 429 || response.status === 503 ? retryAfter(response.headers) : undefined
        if (wait === undefined || wait > longestWait) return response
        // An unread response would keep its connection.
        return Promise.resolve(response.body?.cancel()).then(() => again(wait))
      },
      // Half a second, one, two …
      () => again(0.5 * 2 ** number)
    )
  }
  return (url, init) => attempt(url, init, 0)
}

const urlOf = (base: string, pattern: string, { path, query }: Input): string => {
  const filled = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path?.[name] ?? ""))
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) parameters.set(name, String(value))
  const asked = `${parameters}`
  return `${base}${filled}${asked === "" ? "" : `?${asked}`}`
}

const initOf = (method: string, key: string, { body, file, idempotencyKey, signal, wait }: Input): RequestInit => ({
  headers: {
    accept: "application/json",
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    ...(wait === undefined ? {} : { prefer: `wait=${wait}` })
  },
  method,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  ...(file === undefined ? {} : { body: file }),
  ...(signal === undefined ? {} : { signal })
})

const answerOf = (response: Response): Promise<unknown> => {
  const { headers, ok, status } = response
  const metadata = {
    location: headers.get("location") ?? undefined,
    requestId: headers.get("x-request-id") ?? "",
    status
  }
  return response.text().then((text) => {
    if (ok && text === "") return metadata
    const body = json(text)
    return ok && body !== undefined ? { ...body, ...metadata } : Promise.reject(errorOf(response, body))
  })
}

/** The JSON object in a text, if any. */
const json = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The client of a table of operations, with the type of the contract. */
export function make<Client>(table: Table, options: Options): Client
export function make(table: Table, options: Options): unknown {
  const base = `${options.baseUrl}`.replace(/\/+$/, "")
  const operation = (declared: string) => {
    const [method = "", pattern = ""] = declared.split(" ")
    return (input: Input = {}): Promise<unknown> => {
      const isRepeatable = method === "GET" || input.idempotencyKey !== undefined
      const send = patient(options.fetch ?? platforms, options, isRepeatable)
      return send(urlOf(base, pattern, input), initOf(method, options.key, input)).then(answerOf)
    }
  }
  const named = <A, B>(fields: Readonly<Record<string, A>>, to: (value: A) => B) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, to(value)]))
  return named(table, (group) => named(group, operation))
}

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly meta: { readonly next_cursor?: string }
}

/** All records of a list. Pages are fetched on demand: `for await (const project of records((start) => client.projects.list({ query: start })))`. */
export const records = <A>(
  list: (start: { readonly cursor?: string }) => Promise<Page<A>>
): { readonly [Symbol.asyncIterator]: () => AsyncIterator<A> } => ({
  [Symbol.asyncIterator]: () => {
    let cursor: string | undefined
    let rows: Iterator<A> | undefined
    const next = (): Promise<IteratorResult<A, undefined>> => {
      const row = rows?.next()
      if (row?.done === false) return Promise.resolve(row)
      if (rows !== undefined && cursor === undefined) return Promise.resolve({ done: true, value: undefined })
      return list(cursor === undefined ? {} : { cursor }).then(({ data, meta }) => {
        cursor = meta.next_cursor
        rows = data.values()
        return next()
      })
    }
    return { next }
  }
})
