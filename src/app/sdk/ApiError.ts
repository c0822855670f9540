/** One field of a request that is wrong. */
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

/** An error that the API answered with; `Code` is one of the codes that the contract names for the operation. */
export class ApiError<Code extends string = string> extends Error {
  override readonly name = "ApiError"
  readonly code: Code
  /** The fields that are wrong, with a 422. */
  readonly details: ReadonlyArray<FieldProblem>
  readonly requestId: string
  /** Seconds after which the request may succeed, where the server says so. */
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

/** An answer that is not of this API: from a proxy, or another program at the address. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer"
  readonly status: number

  constructor(status: number) {
    super(`The answer (status ${status}) is not from this API; check the address`)
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

/** The error of an answer whose body is, or is not, the API's envelope. */
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

/** What `isApiError` reads of an operation: the codes of its errors, by their type alone. */
interface Failing<Code extends string> {
  readonly errors?: Code
}

/**
 * Whether something that was thrown is an error of the API. With an operation of the client its `code` has the type of those that the contract names:
 * `isApiError(error, client.projects.create)`.
 */
export const isApiError = <Code extends string = string>(
  error: unknown,
  _operation?: Failing<Code>
): error is ApiError<Code> =>
  // By its name: a program may have loaded this module twice, by `import` and by `require`.
  error instanceof Error && error.name === "ApiError"
