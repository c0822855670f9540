import type { SqlError } from "@effect/sql/SqlError"
import * as Predicate from "effect/Predicate"

const codeOf = (cause: unknown) =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined

/** The SQLSTATE of a failed statement, or the operating system's error name of a failed connection. */
export const sqlState = (error: SqlError): string | undefined => codeOf(error.cause)

/** One line of what PostgreSQL said. */
export const sqlMessage = (error: SqlError): string =>
  Predicate.hasProperty(error.cause, "message") && Predicate.isString(error.cause.message)
    ? error.cause.message
    : error.message

/** Classes and codes that tell of the server's state, not of the statement's (PostgreSQL manual, appendix A). */
const away = /^(08...|53...|57...|25006|40P01|55P03|E[A-Z]{4,})$/

/**
 * Whether the statement failed because the database is away, starting, overloaded or read-only: trying again later can succeed. A broken
 * connection has no code at all in the driver, only its message.
 */
export const isAway = (error: SqlError): boolean => {
  const state = sqlState(error)
  if (state !== undefined) return away.test(state)
  return /connection|timeout|terminated|acquire/i.test(`${error.message} ${sqlMessage(error)}`)
}
