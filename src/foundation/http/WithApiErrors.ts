import * as Effect from "effect/Effect"
import { Conflict, Invalid, NotFound } from "../schema/DomainError.ts"
import { type ApiError, apiError } from "./ApiError.ts"

/** The API's error of a failure: domain errors are mapped, others stay as they are. */
type ApiErrorOf<E> = E extends NotFound
  ? ApiError<"not_found">
  : E extends Conflict
    ? ApiError<"conflict">
    : E extends Invalid
      ? ApiError<"validation_error">
      : E

const apiErrorOf = (error: unknown): unknown => {
  if (error instanceof NotFound) return apiError("not_found", error.message)
  if (error instanceof Conflict) return apiError("conflict", error.message)
  if (error instanceof Invalid) return apiError("validation_error", error.message, { details: error.details })
  return error
}

/** Maps the domain errors of a use case to the API's. An overload, because the compiler cannot follow a conditional type through a function. */
export function withApiErrors<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, ApiErrorOf<E>, R>
export function withApiErrors<A, R>(effect: Effect.Effect<A, unknown, R>): Effect.Effect<A, unknown, R> {
  return Effect.mapError(effect, apiErrorOf)
}
