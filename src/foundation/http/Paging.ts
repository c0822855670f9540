import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Cursors } from "./Cursors.ts"
import { PublicUrl } from "./Request.ts"

/** The page and filters of a request; a cursor is valid only for the same list and filters. */
export interface ListQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  /** The list, its owner and its filters. */
  readonly of: ReadonlyArray<string>
}

/**
 * Reads one page by keyset. `read` gets the position before the page (`undefined` at the start) and the number of rows, one more than the page holds;
 * `position` returns a record's sort key, exact to the microsecond.
 */
export const page = <A, E, R>(
  query: ListQuery,
  read: (after: ReadonlyArray<string> | undefined, count: number) => Effect.Effect<ReadonlyArray<A>, E, R>,
  position: (record: A) => ReadonlyArray<string>
) =>
  Effect.flatMap(Effect.context<Cursors | HttpServerRequest.HttpServerRequest | PublicUrl>(), (context) => {
    const cursors = Context.get(context, Cursors)
    const answered = (rows: ReadonlyArray<A>) => {
      const data = rows.slice(0, query.limit)
      const last = data.at(-1)
      const next = rows.length > query.limit && last !== undefined ? cursors.seal(query.of, position(last)) : undefined
      const meta = { per_page: query.limit, has_next: next !== undefined, total_in_batch: data.length }
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      return Either.map(Context.get(context, PublicUrl).of(request), (self) =>
        next === undefined
          ? { data, meta, links: { self: self.href } }
          : {
              data,
              meta: { ...meta, next_cursor: next },
              links: { self: self.href, next: withCursor(self, next) }
            }
      )
    }
    const { cursor } = query
    const rows =
      cursor === undefined
        ? read(undefined, query.limit + 1)
        : Effect.flatMap(cursors.open(query.of, cursor), (after) => read(after, query.limit + 1))
    return Effect.flatMap(rows, answered)
  })

const withCursor = (url: URL, next: string) => {
  // A cursor needs no escapes, so it is appended as text to a URL without a cursor.
  if (!url.search.includes("cursor") && url.hash === "")
    return `${url.href}${url.search === "" ? "?" : "&"}cursor=${next}`
  const replaced = new URL(url)
  replaced.searchParams.set("cursor", next)
  return replaced.href
}
