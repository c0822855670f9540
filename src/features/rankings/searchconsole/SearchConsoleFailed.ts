import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"

/** Why Search Console gave no data: `quota` and `unavailable` pass by themselves, the others need a person. */
export type Kind = "quota" | "unavailable" | "unauthorised" | "forbidden" | "invalid_request" | "invalid_response"

/** A request to the Search Console API that failed for good, or for now. */
export class SearchConsoleFailed extends Data.TaggedError("SearchConsoleFailed")<{
  readonly kind: Kind
  readonly reason: string
  /** The HTTP status, or null when there was no answer. */
  readonly status: number | null
  /** The wait that the service demands. */
  readonly retryAfter: Duration.Duration | null
}> {
  override get message() {
    return `Search Console: ${this.reason}`
  }

  /** Whether the same request may succeed later. */
  get isTransient() {
    return this.kind === "quota" || this.kind === "unavailable"
  }
}
