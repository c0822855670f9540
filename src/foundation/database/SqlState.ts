import type { SqlError } from "@effect/sql/SqlError"
import * as Predicate from "effect/Predicate"

const codeOf = (cause: unknown) =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined

/** The SQLSTATE of a failed statement, or the operating system's error name of a failed connection. */
export const sqlState = (error: SqlError): string | undefined => codeOf(error.cause)

/** Whether an error comes from a statement. The tag is tested, so the database's client is not loaded. */
export const isSqlError = (error: unknown): error is SqlError => Predicate.isTagged(error, "SqlError")

/** PostgreSQL's message, one line. */
export const sqlMessage = (error: SqlError): string =>
  Predicate.hasProperty(error.cause, "message") && Predicate.isString(error.cause.message)
    ? error.cause.message
    : error.message

/** PostgreSQL's detail of an error in one line; the message when the error has no detail. */
export const sqlDetail = (error: SqlError): string =>
  Predicate.hasProperty(error.cause, "detail") && Predicate.isString(error.cause.detail)
    ? error.cause.detail.replaceAll("\n", ", ")
    : sqlMessage(error)

/** The code of the error when no connection was free; PostgreSQL has no such state. */
export const nodeBusy = "node_busy"

/** The code of the error when a session does not look names up in its schema; PostgreSQL has no such state. */
export const astray = "session_astray"

/** Whether the statement got no free connection in time: this node is busy, and the database is not away. */
export const isBusy = (error: SqlError): boolean => sqlState(error) === nodeBusy

/** A migration changed the result of a prepared statement (0A000): it must be prepared again. */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === "0A000" &&
  Predicate.hasProperty(error, "message") &&
  error.message === "cached plan must not change result type"

/**
 * Whether something outside the statement ended it: an administrator or another program cancelled it, or its connection was lost. A time limit of the session,
 * which only the message distinguishes, does not count.
 */
export const isBrokenOff = (error: SqlError): boolean =>
  sqlState(error) === "57014" ? !/timeout/.test(sqlMessage(error)) : isAbsent(error)

/** Classes and codes of the server's state (PostgreSQL manual, appendix A), or of the connection to it. */
const absent = /^(08...|53...|57P..|25006|E[A-Z]{4,})$/

/** Message of the error when a statement got no connection and was never sent. */
export const notAcquired = "Failed to acquire connection"

/**
 * Whether the database's state made it refuse a statement without executing any of it: no room or memory, starting, read-only, out of reach, no free
 * connection.
 */
export const isUndone = (error: SqlError): boolean =>
  error.message === notAcquired || /^(53...|25006|57P03)$/.test(sqlState(error) ?? "")

/** Whether another statement blocked this one: a deadlock, or a lock that was not given. */
const isOutrun = (error: SqlError): boolean => /^(40P01|55P03)$/.test(sqlState(error) ?? "")

/** Whether only the database's state or other statements made the work fail, so a later attempt may succeed. */
export const isPassing = (error: SqlError): boolean => isUndone(error) || isOutrun(error)

/** Codes of statements that conflicted with others. */
const inTheWay = /^(40P01|55P03|57...)$/

/** Whether PostgreSQL has no room left to write. PostgreSQL still answers, and recovers once there is room. */
export const isFull = (error: SqlError): boolean => sqlState(error) === "53100"

/** Whether the database refuses writes for now: a standby, or one set to read-only. */
export const isReadOnly = (error: SqlError): boolean => sqlState(error) === "25006"

/** One line about a database that is away in any of these ways. */
export const absence = (error: SqlError): string => {
  const how = isFull(error) ? "has no disk space left" : isReadOnly(error) ? "is read-only" : "cannot be reached"
  return `The database ${how}: ${sqlMessage(error)}`
}

/** Whether the database is away, starting, overloaded or read-only. In the driver a broken connection has no code, only a message. */
export const isAbsent = (error: SqlError): boolean => {
  const state = sqlState(error)
  if (state !== undefined) return absent.test(state)
  return /connection|timeout|terminated|acquire/i.test(`${error.message} ${sqlMessage(error)}`)
}

/** Whether the database's state, not the statement's text, made it fail: a later attempt can succeed. */
export const isAway = (error: SqlError): boolean => isAbsent(error) || inTheWay.test(sqlState(error) ?? "")
