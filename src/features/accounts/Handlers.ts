import * as Effect from "effect/Effect"
import { withApiErrors } from "../../foundation/http/ApiError.ts"
import { type ListQuery, page } from "../../foundation/http/Paging.ts"
import { jsonResponse } from "../../foundation/http/Request.ts"
import { Caller } from "./Authorized.ts"
import type { AccountId } from "./Domain.ts"

/** Runs a use case for the caller's account, and maps its errors to the API's. */
export const forCaller = <A, E, R>(ask: (account: AccountId) => Effect.Effect<A, E, R>) =>
  withApiErrors(Effect.flatMap(Caller, ({ accountId }) => ask(accountId)))

/** Runs a use case for the caller's account, and puts the result under `data`. */
export const answer = <A, E, R>(ask: (account: AccountId) => Effect.Effect<A, E, R>) =>
  Effect.map(forCaller(ask), (data) => ({ data }))

/** The option of a handler that writes: it continues after the caller disconnects. */
export const whole = { uninterruptible: true } as const

/** The position of a record in a list by time of creation. */
export const byCreation = ({ created_at, id }: { readonly created_at: string; readonly id: string }) => [created_at, id]

/** One page of the caller's list; `of` names the list and its filters, and gets the account added. */
export const pageForCaller = <A, E, R>(
  { of, ...query }: ListQuery,
  read: (account: AccountId, batch: Batch) => Effect.Effect<ReadonlyArray<A>, E, R>,
  position: (record: A) => ReadonlyArray<string>
) =>
  forCaller((account) =>
    page({ ...query, of: [account, ...of] }, (after, count) => read(account, { after, count }), position)
  )

/**
 * The response with one page of the caller's list. Records come from the database in the form of the contract and are not encoded again; `test/Lists.test.ts`
 * reads every list with the contract's schema.
 */
export const listPage = <A, E, R>(
  query: ListQuery,
  read: (account: AccountId, batch: Batch) => Effect.Effect<ReadonlyArray<A>, E, R>,
  position: (record: A) => ReadonlyArray<string>
) => Effect.map(pageForCaller(query, read, position), (body) => jsonResponse(body))

/** `count` records after a position, or from the start. */
export interface Batch {
  readonly after: ReadonlyArray<string> | undefined
  readonly count: number
}
