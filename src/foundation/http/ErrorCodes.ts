/** Every `error.code` of the API with its HTTP status and meaning; the README's table and OpenAPI are made from this. */
export const codes = {
  unauthorized: {
    status: 401,
    meaning: "no key, an unknown or revoked key, or two different keys; `message` says which"
  },
  missing_key: { status: 401, meaning: "site health: no key was sent" },
  invalid_key: {
    status: 401,
    meaning: "site health: the key is unknown or malformed, or two different keys were sent"
  },
  revoked_key: { status: 401, meaning: "site health: the key was revoked" },
  auth_unavailable: { status: 401, meaning: "site health: the key is not linked to an account" },
  insufficient_scope: {
    status: 403,
    meaning:
      "the key lacks the scope of this endpoint, or would give another key more scopes or a longer life than its own"
  },
  forbidden: { status: 403, meaning: "`/mcp`: `Origin` or `Host` is not an address of this server" },
  not_found: { status: 404, meaning: "no such route, or the thing does not exist or is another account's" },
  method_not_allowed: { status: 405, meaning: "the route has other methods; `Allow` lists them" },
  conflict: { status: 409, meaning: "the thing's state does not allow this" },
  not_over: {
    status: 409,
    meaning: "the days after the change of a designed experiment are not final yet; `available_at` says when they are"
  },
  not_configured: {
    status: 409,
    meaning:
      "AI visibility: the operator has not set a key of an engine, or a daily budget; `message` names the setting"
  },
  idempotency_conflict: { status: 409, meaning: "the Idempotency-Key was used with a different request" },
  payload_too_large: {
    status: 413,
    meaning:
      "the body is over 256 KiB (designs and evaluations of experiments: 4 MiB; interventions: 2 MiB; files of search data: `FINDABLE_IMPORT_MAX_BYTES`)"
  },
  unsupported_media_type: { status: 415, meaning: "the body is not JSON" },
  validation_error: {
    status: 422,
    meaning:
      "the body, a parameter or a header is invalid, or a read takes the database too long; `details` lists the fields"
  },
  invalid_cursor: { status: 422, meaning: "the cursor is malformed, altered, or of another list" },
  missing_data: {
    status: 422,
    meaning: "experiments: page totals of less than three quarters of a window's days were imported, or none at all"
  },
  not_assessable: {
    status: 422,
    meaning: "experiments: an arm has no clicks or no impressions in a window, or not without one of its pages"
  },
  too_few_pages: {
    status: 422,
    meaning: "experiments: an arm has fewer than five pages with a click before the change"
  },
  history_too_short: {
    status: 422,
    meaning:
      "experiments: there are no earlier dates to compare with, which pages that the service did not assign need; `needed_days` says how many days"
  },
  quota_exceeded: {
    status: 429,
    meaning: "hourly runs, looks of the day, or runs, imports or exports in progress; `Retry-After` says when"
  },
  rate_limit_exceeded: {
    status: 429,
    meaning: "requests per minute or per second, or keys created in a minute; `Retry-After` says when"
  },
  internal_error: { status: 500, meaning: "a fault of the server; the log has it under the request id" },
  not_implemented: { status: 501, meaning: "audits cannot be created through the API" },
  service_unavailable: { status: 503, meaning: "a temporary problem, nothing was started; `Retry-After` says when" }
} as const

export type Code = keyof typeof codes
